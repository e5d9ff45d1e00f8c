package bench

import (
	"hash/fnv"
	"slices"
)

// sharedPassages joins tasks that share a passage of passageWords words in their text or in a
// fixture file. A passage that many tasks share is an instruction.
func (f *duplicateFinder) sharedPassages() {
	read := func(i int) [][]uint64 { // the passages of each text of task i, in order
		out := [][]uint64{passages(f.list[i].words)}
		for _, text := range f.tasks[f.list[i].index].Fixtures.Files {
			out = append(out, passages(wordsOf(text)))
		}
		return out
	}
	// Passages are counted by the last bits of a hash; there are so many counters that
	// few passages share a counter.
	counts := make([]uint32, min(1<<22, 1<<10*len(f.list)))
	slot := func(p uint64) *uint32 { return &counts[p%uint64(len(counts))] }
	for i := range f.list {
		for _, list := range read(i) {
			for _, p := range list {
				*slot(p)++
			}
		}
	}
	most := uint32(f.common())
	having := map[uint64]int{} // passage → first task
	for i := range f.list {
		for _, list := range read(i) {
			for _, p := range ownPassages(list, func(p uint64) bool { return *slot(p) > most }) {
				if first, ok := having[p]; ok {
					f.join(first, i, Passage)
				} else {
					having[p] = i
				}
			}
		}
	}
}

// passageStep is the number of consecutive passages from which the one with the smallest
// hash is kept (winnowing: Schleimer, Wilkerson, Aiken, SIGMOD 2003). Texts that share
// passageWords + passageStep - 1 words have a kept passage in common.
const passageStep = 8

// ownPassages returns, after winnowing, the passages in which at most half of the words
// belong to common passages.
func ownPassages(list []uint64, common func(uint64) bool) []uint64 {
	given := make([]int, len(list)+passageWords) // number of earlier words that belong to a common passage
	until := 0
	for k := range given[1:] {
		if k < len(list) && common(list[k]) {
			until = k + passageWords
		}
		given[k+1] = given[k]
		if k < until {
			given[k+1]++
		}
	}
	var out []uint64
	own := list[:0:0]
	keep := func() {
		for i := range own {
			if i+passageStep <= len(own) || i == 0 {
				out = append(out, slices.Min(own[i:min(i+passageStep, len(own))]))
			}
		}
		own = own[:0]
	}
	for k, p := range list {
		if given[k+passageWords]-given[k] > passageWords/2 {
			keep()
			continue
		}
		own = append(own, p)
	}
	keep()
	return slices.Compact(out)
}

// passages returns the hashes of all passages of a text, in order.
func passages(words []string) []uint64 {
	if len(words) < passageWords {
		return nil
	}
	const base = 1_000_003
	hashes := make([]uint64, len(words))
	for i, w := range words {
		h := fnv.New64a()
		_, _ = h.Write([]byte(w)) // never fails
		hashes[i] = h.Sum64()
	}
	lead := uint64(1) // base^passageWords
	for range passageWords {
		lead *= base
	}
	var rolling uint64
	all := make([]uint64, 0, len(words)-passageWords+1)
	for i, h := range hashes {
		rolling = rolling*base + h
		if i >= passageWords {
			rolling -= lead * hashes[i-passageWords]
		}
		if i >= passageWords-1 {
			all = append(all, (rolling^rolling>>29)*0x9e3779b97f4a7c15)
		}
	}
	return all
}
