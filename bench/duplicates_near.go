package bench

import (
	"cmp"
	"maps"
	"slices"
)

// Thresholds of near likeness. They were chosen on the basis of the figures that
// TestDuplicatesOfRealTasks and TestDuplicatesInWorlds check.
const (
	nearShare  = .7  // minimum share of the longer text's words that both texts have, in order
	nearLength = 8   // minimum words of the longer text; shorter texts are alike if one of them contains the other
	nearWords  = 6   // minimum words in both
	nearWindow = 6   // maximum number of words that may differ in one place; a longer difference counts as a difference in content
	windowEach = 40  // nearWindow grows by 1 for every windowEach words of the longer text
	edgeWords  = 6   // length of a shared beginning or end, in words
	affixWords = 3   // minimum words of a text that another text contains
	alignWords = 400 // maximum words of a text that are compared; longer texts are found by common passages
)

// Limits of the search for candidate pairs. Each text is indexed by at most sampleSize of
// its word pairs, and a word pair indexes at most postings texts.
const (
	pairReach   = 3
	sampleSize  = 32
	postings    = 32
	sampleShare = 10 // texts are compared if they share at least 1/sampleShare of their sampled word pairs
	comparisons = 8  // maximum comparisons of one text, with its likeliest candidates
)

// near joins each task to the closest earlier task that is nearly the same. Each task is
// compared only with the first task of each group, so that chains of small differences do
// not join unrelated tasks. The tasks are processed in the order of their words, so that
// the order of the file does not matter. Candidates are found by pairs of words that stand
// close together. Each task contributes a sample of its pairs, those with the smallest
// hashes (Broder, Compression and Complexity of Sequences, 1997).
func (f *duplicateFinder) near() {
	t := f.texts()
	order := make([]int, 0, len(f.list))
	for i := range f.list {
		if f.root(i) == i { // one task represents all tasks that are equal to it
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(slices.Compare(f.list[a].words, f.list[b].words), cmp.Compare(a, b))
	})
	having := map[uint64][]int{} // pair → first tasks of groups
	shared := make([]uint8, len(f.list))
	for _, i := range order {
		var found []int
		for _, pair := range t.sample[i] {
			if list := having[pair]; len(list) < postings {
				for _, j := range list {
					if shared[j] == 0 {
						found = append(found, j)
					}
					shared[j]++
				}
			}
		}
		if first := t.likeliest(i, found, shared); first >= 0 {
			f.join(first, i, Near)
		} else {
			for _, pair := range t.sample[i] {
				if list := having[pair]; len(list) < postings {
					having[pair] = append(list, i)
				}
			}
		}
		for _, j := range found {
			shared[j] = 0
		}
	}
}

// common returns the number of tasks above which a shared passage counts as an
// instruction or as everyday language.
func (f *duplicateFinder) common() int {
	return max(fewCommon, min(manyCommon, len(f.list)/passageSpread))
}

// texts holds the tasks' words as numbers, for comparison.
type texts struct {
	words  [][]uint32
	sorted [][]uint32
	sample [][]uint64 // for each text: hashes of a sample of its word pairs
	edges  []edge
	dirs   []string // for each text: its fixture folder, whose content is not compared
}

// texts numbers the words of all tasks and samples the word pairs of each. Pairs that occur
// in only one task are omitted, since they find nothing.
func (f *duplicateFinder) texts() *texts {
	n := len(f.list)
	t := &texts{words: make([][]uint32, n), sorted: make([][]uint32, n), sample: make([][]uint64, n), dirs: make([]string, n)}
	numbers := map[string]uint32{}
	// Two sets of bits, indexed by the last bits of a pair's hash, record whether a pair
	// was seen once and whether it was seen more than once. Collisions only cost time.
	bits := uint64(1 << 12)
	for _, l := range f.list {
		for bits < 1<<24 && bits < uint64(pairReach*len(l.words)*n) {
			bits *= 2
		}
	}
	once, more := make([]uint64, bits/64), make([]uint64, bits/64)
	for i := range f.list {
		words := f.compared(i)
		t.words[i] = make([]uint32, len(words))
		for k, w := range words {
			n, ok := numbers[w]
			if !ok {
				n = uint32(len(numbers))
				numbers[w] = n
			}
			t.words[i][k] = n
		}
		t.dirs[i] = f.tasks[f.list[i].index].Fixtures.Dir
		t.sorted[i] = slices.Sorted(slices.Values(t.words[i]))
		for _, p := range pairsOf(t.words[i]) {
			at, bit := p%bits/64, uint64(1)<<(p%64)
			more[at] |= once[at] & bit
			once[at] |= bit
		}
	}
	for i := range f.list {
		pairs := slices.DeleteFunc(pairsOf(t.words[i]), func(p uint64) bool { return more[p%bits/64]&(1<<(p%64)) == 0 })
		t.sample[i] = slices.Clone(pairs[:min(len(pairs), sampleSize)])
	}
	t.edges = edgesOf(t.words, f.common())
	return t
}

// compared returns at most alignWords words of a task and its fixture files.
func (f *duplicateFinder) compared(i int) []string {
	words, files := f.list[i].words, f.tasks[f.list[i].index].Fixtures.Files
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if len(words) >= alignWords {
			break
		}
		words = slices.Concat(words, wordsOf(files[path]))
	}
	return words[:min(len(words), alignWords)]
}

// likeliest returns the task closest to task i among the candidates that share the most
// word pairs with task i, or -1 if none of these candidates is nearly the same as task i.
func (t *texts) likeliest(i int, found []int, shared []uint8) int {
	var top [comparisons]int
	n := 0
	for _, j := range found {
		if t.dirs[i] != t.dirs[j] || sampleShare*int(shared[j]) < min(len(t.sample[i]), len(t.sample[j])) {
			continue
		}
		at := n
		for at > 0 && (shared[top[at-1]] < shared[j] || shared[top[at-1]] == shared[j] && top[at-1] > j) {
			at--
		}
		if at == comparisons {
			continue
		}
		n = min(n+1, comparisons)
		copy(top[at+1:n], top[at:n-1])
		top[at] = j
	}
	first, most := -1, 0.
	for _, j := range top[:n] {
		if share := t.alike(i, j); share > most {
			first, most = j, share
		}
	}
	return first
}

// pairsOf returns the hashes of the distinct pairs of words within pairReach, ascending.
func pairsOf(words []uint32) []uint64 {
	out := make([]uint64, 0, pairReach*len(words))
	for i, a := range words {
		for _, b := range words[i+1 : min(len(words), i+1+pairReach)] {
			out = append(out, scatter(uint64(a)<<32|uint64(b)))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// scatter is the SplitMix64 hash (Steele, Lea, Flood, OOPSLA 2014).
func scatter(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// edge reports whether many tasks share the beginning, or the end, of a task.
type edge struct{ front, back bool }

// edgesOf finds instructions at the beginning and end of tasks: sequences of edgeWords
// words that more than a given number (most) of tasks share.
func edgesOf(texts [][]uint32, most int) []edge {
	// Tasks are counted by the last bits of a hash; there are enough counters that few
	// unrelated tasks share one.
	counts := make([]uint32, min(1<<20, 64*len(texts)))
	hash := func(words []uint32, end uint64) uint64 {
		sum := end
		for _, w := range words {
			sum = scatter(sum ^ uint64(w))
		}
		return sum % uint64(len(counts))
	}
	ends := func(words []uint32) (front, back uint64) {
		return hash(words[:edgeWords], 1), hash(words[len(words)-edgeWords:], 2)
	}
	for _, words := range texts {
		if len(words) >= edgeWords {
			front, back := ends(words)
			counts[front]++
			counts[back]++
		}
	}
	out := make([]edge, len(texts))
	for i, words := range texts {
		if len(words) >= edgeWords {
			front, back := ends(words)
			out[i] = edge{int(counts[front]) > most, int(counts[back]) > most}
		}
	}
	return out
}

// alike returns the share of the longer task's words that both tasks have in common, with
// or without the beginning and end that many tasks share. It returns 0 if the tasks are not
// nearly the same.
func (t *texts) alike(i, j int) float64 {
	a, b := t.words[i], t.words[j]
	if !overlap(a, b) && inBoth(t.sorted[i], t.sorted[j]) < need(max(len(a), len(b))) {
		return 0
	}
	share := alike(a, b)
	front, back := t.edges[i].front && t.edges[j].front, t.edges[i].back && t.edges[j].back
	if share == 0 || !front && !back {
		return share
	}
	for front && len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for back && len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return alike(a, b)
}

// alike returns the share of the longer text's words that both texts have in common, or 0
// if the texts are not nearly the same.
func alike(a, b []uint32) float64 {
	longer := max(len(a), len(b))
	if overlap(a, b) {
		return float64(min(len(a), len(b))) / float64(longer)
	}
	if longer < nearLength || float64(min(len(a), len(b))) < nearShare*float64(longer) {
		return 0
	}
	match := align(a, b)
	if match.common < need(longer) || match.window > nearWindow+longer/windowEach {
		return 0
	}
	return float64(match.common) / float64(longer)
}

// need returns the number of words that a text of n words must have in common with a
// shorter one.
func need(n int) int { return max(nearWords, n-int((1-nearShare)*float64(n)+1e-9)) }

// overlap reports whether two texts are nearly the same passage. Either one text contains
// the other and has only a few more words, or the end of one text is the beginning of the
// other, except for a few words.
func overlap(a, b []uint32) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	for shift := 1 - len(a); shift < len(b); shift++ {
		from, to := max(0, shift), min(len(b), shift+len(a)) // of b
		both := to - from
		whole := both == len(a) && both >= affixWords
		if (whole || both >= nearWords) && len(b)-both <= max(1, both/2) && len(a)-both <= both/2 && slices.Equal(a[from-shift:to-shift], b[from:to]) {
			return true
		}
	}
	return false
}

// inBoth returns the number of words that two sorted lists share.
func inBoth(a, b []uint32) int {
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return common
}

// alignment describes how two texts match, word by word in order.
type alignment struct {
	common int
	// window is the length of the texts' own content, minus chance matches: for each
	// stretch, the number of differing words minus the number of common words is
	// computed, and window is the maximum.
	window int
}

// align computes the longest common subsequence of words.
func align(a, b []uint32) alignment {
	wide := len(b) + 1
	best := make([]uint16, (len(a)+1)*wide)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				best[i*wide+j] = best[(i+1)*wide+j+1] + 1
			} else {
				best[i*wide+j] = max(best[(i+1)*wide+j], best[i*wide+j+1])
			}
		}
	}
	out := alignment{common: int(best[0])}
	i, j, run := 0, 0, 0
	for i < len(a) || j < len(b) {
		// The words that differ up to the next match are counted on the longer side.
		skipA, skipB := 0, 0
		for i < len(a) || j < len(b) {
			if i < len(a) && j < len(b) && a[i] == b[j] {
				break
			}
			if j >= len(b) || i < len(a) && best[(i+1)*wide+j] >= best[i*wide+j+1] {
				i++
				skipA++
			} else {
				j++
				skipB++
			}
		}
		run += max(skipA, skipB)
		out.window = max(out.window, run)
		if i < len(a) && j < len(b) {
			run = max(0, run-1)
			i++
			j++
		}
	}
	return out
}
