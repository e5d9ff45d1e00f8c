package mutate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Candidate is what a selector knows of a variant that may become a parent.
type Candidate struct {
	// Score is its posterior mean.
	Score float64
	// Children counts the variants that were made from it.
	Children int
}

// Selector chooses the index of a parent and says why. It is pure but for the
// randomness it is given.
type Selector func(list []Candidate, rng *rand.Rand) (int, string)

// selectors is the table of selections by name.
func selectors() map[string]Selector {
	return map[string]Selector{"dgm": selectDGM, "top_k": selectTopK, "random": selectRandom}
}

// DefaultSelection is the one that is used when none is named.
const DefaultSelection = "dgm"

// Selections lists the names of the selections, the default first.
func Selections() []string { return []string{DefaultSelection, "top_k", "random"} }

// selectDGM prefers good and little explored variants: weight
// σ(λ(s − median)/MAD)/(1 + children) with λ = 2 (Zhang et al. 2025, Darwin Gödel
// Machine, with median and MAD in place of fixed constants).
func selectDGM(list []Candidate, rng *rand.Rand) (int, string) {
	const lambda = 2
	scores := make([]float64, len(list))
	for i, c := range list {
		scores[i] = c.Score
	}
	mid := median(scores)
	for i := range scores {
		scores[i] = math.Abs(scores[i] - mid)
	}
	mad := math.Max(median(scores), 1e-3)
	weights := make([]float64, len(list))
	sum := 0.0
	for i, c := range list {
		weights[i] = 1 / (1 + math.Exp(-lambda*(c.Score-mid)/mad)) / float64(1+c.Children)
		sum += weights[i]
	}
	at := draw(weights, sum, rng)
	return at, fmt.Sprintf("dgm: score %.3f against a median of %.3f, %d children, chance %.3f", list[at].Score, mid, list[at].Children, weights[at]/sum)
}

// selectTopK takes one of the two best.
func selectTopK(list []Candidate, rng *rand.Rand) (int, string) {
	first, second := 0, -1
	for i := 1; i < len(list); i++ {
		switch {
		case list[i].Score > list[first].Score:
			first, second = i, first
		case second < 0 || list[i].Score > list[second].Score:
			second = i
		}
	}
	if second >= 0 && rng.IntN(2) == 0 {
		return second, fmt.Sprintf("top_k: the second best, %.3f", list[second].Score)
	}
	return first, fmt.Sprintf("top_k: the best, %.3f", list[first].Score)
}

// selectRandom takes any.
func selectRandom(list []Candidate, rng *rand.Rand) (int, string) {
	at := rng.IntN(len(list))
	return at, fmt.Sprintf("random: one of %d", len(list))
}

// draw picks an index with probability proportional to its weight.
func draw(weights []float64, sum float64, rng *rand.Rand) int {
	x := rng.Float64() * sum
	for i, w := range weights {
		if x -= w; x < 0 {
			return i
		}
	}
	return len(weights) - 1
}

func median(list []float64) float64 {
	sorted := slices.Clone(list)
	slices.Sort(sorted)
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
