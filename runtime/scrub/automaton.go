package scrub

// automaton finds every occurrence of many words in one pass (Aho and Corasick),
// ignoring ASCII case.
type automaton struct {
	// classes maps a byte to its column; bytes that occur in no word share column 0.
	classes [256]uint8
	// next holds, by state and column, the offset of the next state's row, shifted left by
	// one. The lowest bit is set if a word ends in the next state.
	next []uint32
	cols uint32
	// ends holds, for each state, the indexes of the words that end in that state,
	// longest first.
	ends [][]int32
}

// fold returns b in lower case if it is an ASCII letter, and otherwise unchanged.
func fold(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// newAutomaton builds the automaton for non-empty words.
func newAutomaton(words []string) *automaton {
	a := &automaton{cols: 1}
	size := 1
	for _, w := range words {
		size += len(w)
		for i := range len(w) {
			if b := fold(w[i]); a.classes[b] == 0 {
				a.classes[b] = uint8(a.cols)
				if 'a' <= b && b <= 'z' {
					a.classes[b-'a'+'A'] = uint8(a.cols)
				}
				a.cols++
			}
		}
	}
	cols := int(a.cols)
	trie := make([]uint32, cols, size*cols)
	a.ends = make([][]int32, 1, size)
	for id, w := range words {
		state := 0
		for i := range len(w) {
			at := state*cols + int(a.classes[w[i]])
			if trie[at] == 0 {
				trie[at] = uint32(len(a.ends))
				trie = trie[:len(trie)+cols]
				a.ends = append(a.ends, nil)
			}
			state = int(trie[at])
		}
		a.ends[state] = append(a.ends[state], int32(id))
	}
	a.link(trie)
	return a
}

// link turns the trie into an automaton, breadth first: a missing transition of a state
// becomes the transition of its longest proper suffix that is also a state.
func (a *automaton) link(trie []uint32) {
	cols := int(a.cols)
	suffix := make([]uint32, len(a.ends))
	queue := make([]uint32, 0, len(a.ends))
	for _, child := range trie[:cols] {
		if child != 0 {
			queue = append(queue, child)
		}
	}
	for i := 0; i < len(queue); i++ {
		state := int(queue[i])
		from := int(suffix[state])
		a.ends[state] = append(a.ends[state], a.ends[from]...)
		row, fallback := trie[state*cols:(state+1)*cols], trie[from*cols:(from+1)*cols]
		for c, child := range row {
			if child == 0 {
				row[c] = fallback[c]
				continue
			}
			suffix[child] = fallback[c]
			queue = append(queue, child)
		}
	}
	for i, state := range trie {
		entry := state * a.cols << 1
		if len(a.ends[state]) > 0 {
			entry |= 1
		}
		trie[i] = entry
	}
	a.next = trie
}

// each calls the function found once for every occurrence of a word in text, in text
// order, with the word's index and the offset at which the occurrence ends.
func (a *automaton) each(text string, found func(word int32, end int)) {
	next, state := a.next, uint32(0)
	for i := range len(text) {
		entry := next[state+uint32(a.classes[text[i]])]
		state = entry >> 1
		if entry&1 != 0 {
			for _, word := range a.ends[state/a.cols] {
				found(word, i+1)
			}
		}
	}
}
