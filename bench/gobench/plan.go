package gobench

import (
	"math/rand/v2"
	"slices"
)

// Side is the side that a run belongs to.
type Side string

// Base and Candidate are compared. Again is the base once more, treated like a candidate
// (in a folder and a build of its own), so that a difference between it and Base is an
// error of the measurement.
const (
	Base      Side = "base"
	Again     Side = "again"
	Candidate Side = "candidate"
)

// Plan returns the order of the runs: in each round, every side once. The sides of a
// round follow one another in a random order, and in the opposite order in the next round
// (ABBA), so that over every two rounds all sides run at the same time on average, and a
// machine that slows down at a steady rate favors none. In an odd number of rounds the
// last has no counterpart. The order depends only on the seed.
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
