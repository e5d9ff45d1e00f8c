package gobench

import (
	"math/rand/v2"
	"slices"
)

// Side is what a run belongs to.
type Side string

// Base and Candidate are compared. Again is the base once more, treated in every way
// as a candidate is (a folder of its own, a build of its own): what differs between
// it and Base is the fault of the measurement.
const (
	Base      Side = "base"
	Again     Side = "again"
	Candidate Side = "candidate"
)

// Step is one run of a plan.
type Step struct {
	// Round counts from 0; every side runs once in each.
	Round int
	Side  Side
}

// Plan is the order of the runs. The sides of a round follow one another, in a drawn
// order, and in the opposite order in the next round (ABBA), so that over every two
// rounds all sides run at the same time on average: a machine that slows down at a
// steady pace favours none. An odd number of rounds leaves one round without its
// counterpart. The seed alone decides.
func Plan(rounds int, seed int64, sides ...Side) []Step {
	rng := rand.New(rand.NewPCG(uint64(seed), 0xabba))
	order := slices.Clone(sides)
	steps := make([]Step, 0, rounds*len(order))
	for round := range rounds {
		if round%2 == 0 {
			rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		} else {
			slices.Reverse(order)
		}
		for _, s := range order {
			steps = append(steps, Step{round, s})
		}
	}
	return steps
}
