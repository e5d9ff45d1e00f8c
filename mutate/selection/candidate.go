package selection

import "math/rand/v2"

// Candidate is what a selector knows of a variant that may become a parent.
type Candidate struct {
	// Mean and SD are the posterior of its score less the champion's; SD is 0 for the
	// champion itself.
	Mean, SD float64
	// Evaluations with a score, and their sum.
	Evaluations int
	Sum         float64
	// Pending counts evaluations asked for and not told.
	Pending int
	// Parents are indices into the list, of those that are in it.
	Parents  []int
	Children int
	// Tasks are the mean scores by task, NaN where it has none; shared length.
	Tasks []float64
	// Domains are the mean scores by domain, NaN where it has none.
	Domains []float64
	// Cost in USD and Latency in seconds are means over its evaluations; 0: unknown.
	Cost, Latency float64
}

// Budget says how far a search is, in evaluations.
type Budget struct{ Spent, Total int }

// Selector chooses a parent from a list that is not empty; list[0] is the champion.
// It returns the index and says why.
type Selector func(list []Candidate, b Budget, rng *rand.Rand) (int, string)
