package model

import (
	"cmp"
	"slices"
	"time"
)

// origin is the kind of source that evidence comes from.
type origin int

const (
	fromMemory origin = iota
	fromTurn
	fromFile
	fromTool // a result that is itself the answer
)

// evidence is one candidate for the answer.
type evidence struct {
	value  string // the span
	line   string // the whole line or sentence
	score  float64
	origin origin
	time   time.Time
	order  int // of two similar pieces of evidence, the one with the higher order is newer
	file   string
	grep   bool // seen only in grep's output
	prose  bool // the value is part of a sentence, not a field
	list   []string
	// reckon is the expression from which mentalArithmetic computed the value.
	reckon string
}

// tier returns 1 for evidence from a preferred origin, which ranks first, and 0 for other
// evidence.
func (e *evidence) tier(prefer string) int {
	switch {
	case prefer == "files" && (e.origin == fromFile || e.origin == fromTool),
		prefer == "memory" && e.origin == fromMemory:
		return 1
	}
	return 0
}

// competing is the maximum distance from the best score at which newer evidence can still
// replace the best evidence, if the strategy trusts the newest.
const competing = .2

// rank sorts evidence by how much it is trusted, in descending order. Evidence with a score
// below accept comes last.
func rank(all []evidence, accept float64, prefer string, newest bool) {
	slices.SortStableFunc(all, func(a, b evidence) int {
		ga, gb := a.score >= accept, b.score >= accept
		if ga != gb {
			if ga {
				return -1
			}
			return 1
		}
		return cmp.Or(
			cmp.Compare(b.tier(prefer), a.tier(prefer)),
			cmp.Compare(b.score, a.score),
		)
	})
	if !newest || len(all) == 0 {
		return
	}
	best := 0
	for i := 1; i < len(all); i++ {
		c := &all[i]
		if c.score < accept || c.score < all[0].score-competing || c.tier(prefer) != all[0].tier(prefer) {
			continue
		}
		if newer(c, &all[best]) {
			best = i
		}
	}
	chosen := all[best]
	copy(all[1:best+1], all[:best])
	all[0] = chosen
}

// newer reports whether a is newer than b: by time if their times differ, and otherwise by
// their order within the same source.
func newer(a, b *evidence) bool {
	if !a.time.Equal(b.time) {
		return a.time.After(b.time)
	}
	return a.origin == b.origin && a.file == b.file && a.order > b.order
}
