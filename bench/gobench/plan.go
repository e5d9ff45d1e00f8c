package gobench

import (
	"math/rand/v2"
	"slices"
)

// Side is the side of a comparison that a run belongs to.
type Side string

// name returns the words for a side in a sentence.
func (s Side) name() string {
	if s == Again {
		return "the second measurement of the base"
	}
	return "the " + string(s)
}

// Base and Candidate are the sides to compare. Again is the base once more, treated like a
// candidate (in a folder and a build of its own), so any difference between Again and Base
// is a measurement error.
const (
	Base      Side = "base"
	Again     Side = "again"
	Candidate Side = "candidate"
)

// Plan returns the order of the runs. Each round contains every side once. The sides of a
// round follow one another in a random order, and in the opposite order in the next round
// (ABBA). Over every two rounds, all sides therefore have the same average position in
// time, and a machine that slows down at a steady rate favors none of them. If the number
// of rounds is odd, the last round has no counterpart. The order depends only on the seed.
func Plan(rounds int, seed int64, sides ...Side) []Side {
	rng := rand.New(rand.NewPCG(uint64(seed), 0xabba))
	order := slices.Clone(sides)
	runs := make([]Side, 0, rounds*len(order))
	for round := range rounds {
		if round%2 == 0 {
			rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		} else {
			slices.Reverse(order)
		}
		runs = append(runs, order...)
	}
	return runs
}
