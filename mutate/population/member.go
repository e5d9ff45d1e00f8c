package population

import (
	"math"

	"evolve/runtime/agent"
)

// member is a variant of the population.
type member struct {
	index      int
	id         agent.ConfigID
	config     agent.Config
	parents    []agent.ConfigID
	operator   string
	scale      float64
	generation int
	rationale  string
	children   int
	size       int
	// scores by task, NaN where there is none, with their weights in [0,1].
	scores, weights []float64
	// stages counts the stages begun, issued the cases queued in the common order, pending
	// those without a result, and results all that were told.
	stages, issued, pending, results int
	rewarded                         bool
	cost, seconds                    float64
	// gain is the posterior mean of the difference to the champion, deviation its standard
	// deviation, and common the weight of the cases that both ran.
	gain, deviation, common float64
}

// set sets the score of a task, unless one of greater weight is known.
func (m *member) set(task int, score, weight float64) {
	if weight >= m.weights[task] {
		m.scores[task], m.weights[task] = score, weight
	}
}

// sums returns the number of scores and their sum.
func (m *member) sums() (n int, sum float64) {
	for _, v := range m.scores {
		if !math.IsNaN(v) {
			n++
			sum += v
		}
	}
	return n, sum
}
