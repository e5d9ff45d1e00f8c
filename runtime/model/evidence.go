package model

import (
	"cmp"
	"slices"
	"time"
)

// origin says where evidence is from.
type origin int

const (
	fromMemory origin = iota
	fromTurn
	fromFile
	fromTool // a result that is the answer itself
)

// evidence is one thing that may answer the question.
type evidence struct {
	value  string // the span
	line   string // the whole line or sentence
	score  float64
	origin origin
	time   time.Time
	order  int // of two alike the later one is newer
	file   string
	grep   bool // seen through grep only
	prose  bool // the value is a part of a sentence, not a field
	list   []string
	// reckon is the expression that the value was worked out from in the head.
	reckon string
}

// tier puts evidence of a preferred origin before other.
func (e *evidence) tier(prefer string) int {
	switch {
	case prefer == "files" && (e.origin == fromFile || e.origin == fromTool),
		prefer == "memory" && e.origin == fromMemory:
		return 1
	}
	return 0
}

// competing is how far below the best the score of evidence may lie that still
// competes with it when the newest is trusted.
const competing = .2

// rank sorts evidence, the most trusted first. Evidence below accept comes after
// all other.
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

// newer compares evidence by time where either has one, else by order within the
// same place.
func newer(a, b *evidence) bool {
	if !a.time.Equal(b.time) {
		return a.time.After(b.time)
	}
	return a.origin == b.origin && a.file == b.file && a.order > b.order
}
