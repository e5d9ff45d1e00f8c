package stats

import (
	"fmt"
	"math"

	"evolve/runtime/text"
)

// JudgeNoise is the part of the noise of scores that comes from the draws of judge
// models. The variances that a confirmation measures include this noise.
type JudgeNoise struct {
	// Answers is the number of evaluations whose judges made two draws or more, and Single
	// is the number of those with a single draw, whose noise is unknown.
	Answers int `json:"answers,omitempty"`
	Single  int `json:"single,omitempty"`
	// Variance is the variance of a score over repeated grading of the same answer.
	Variance float64 `json:"variance,omitempty"`
	// Calls is the number of calls of judges, and USD their cost.
	Calls int64   `json:"calls,omitempty"`
	USD   float64 `json:"usd,omitempty"`
}

// Draws describes one grader of an evaluation: its weight and, for a judge, the number of
// its draws and their standard deviation; Samples is 0 for other graders.
type Draws struct {
	Weight, SD float64
	Samples    int
}

// Add adds a scored evaluation, given its graders.
func (n *JudgeNoise) Add(graders []Draws) {
	var variance, weights float64
	drawn, single := false, false
	for _, g := range graders {
		weights += g.Weight
		drawn, single = drawn || g.Samples > 1, single || g.Samples == 1
		if g.Samples > 1 {
			variance += g.Weight * g.Weight * g.SD * g.SD / float64(g.Samples)
		}
	}
	switch {
	case single:
		n.Single++
	case drawn && weights > 0:
		n.Answers++
		n.Variance += (variance/(weights*weights) - n.Variance) / float64(n.Answers)
	}
}

// Any reports whether a judge graded any evaluation.
func (n *JudgeNoise) Any() bool { return n != nil && n.Answers+n.Single > 0 }

// Statement describes the noise that determines how small an improvement can be detected.
// Its words continue the sentence that states this improvement.
func (n *JudgeNoise) Statement() string {
	if n.Answers == 0 {
		return `the noise of the judges is unknown, because they take only one sample (set "samples" to 2 or more to measure it)`
	}
	sd := math.Sqrt(n.Variance)
	return fmt.Sprintf("the noise of the judges is %s points (standard deviation) per score and %s per pair, measured over %s",
		text.Size(sd), text.Size(sd*math.Sqrt2), text.Count(n.Answers, "answer"))
}
