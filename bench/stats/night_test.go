package stats

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// inNights sets the night of each block.
func inNights(pairs []Pair, night func(block int) int) []Pair {
	for i := range pairs {
		for r := range pairs[i].A {
			pairs[i].Nights = append(pairs[i].Nights, night(r))
		}
	}
	return pairs
}

func TestDriftByHand(t *testing.T) {
	row := func(d ...float64) Pair {
		return Pair{Task: "t", A: make([]float64, len(d)), B: d}
	}
	one := newDrift(normalizePairs([]Pair{row(.1, .3)}), 0)
	if one.nights != 1 || one.worth != 1 {
		t.Errorf("%+v", one)
	}
	near(t, "one night", one.variance, AssumedNight*AssumedNight, 0)
	// Two nights with the means .1 and .5 and no variance by chance. Their spread is .08,
	// with one degree of freedom, which is added to the four degrees of freedom that are
	// assumed.
	two := newDrift(normalizePairs(inNights([]Pair{row(0, .2, .4, .6)}, func(r int) int { return r / 2 })), 0)
	near(t, "two nights", two.variance, (4*.0004+.08)/5, 1e-15)
	near(t, "their worth", two.worth, 2, 1e-15)
	near(t, "their error", two.error(.025), 1.959963984540054*math.Sqrt(two.variance/2), 1e-12)
	// A spread that chance explains leaves the assumption unchanged.
	near(t, "chance", newDrift(normalizePairs(inNights([]Pair{row(0, .2, .4, .6)}, func(r int) int { return r / 2 })), .16).variance, AssumedNight*AssumedNight, 0)
	// Pairs from an unknown night are not counted.
	unknown := newDrift(normalizePairs([]Pair{{Task: "t", A: []float64{0, 0}, B: []float64{1, 0}, Nights: []int{anyNight, 3}}}), 0)
	if unknown.nights != 1 {
		t.Errorf("%+v", unknown)
	}
}

// TestJudgeBoundsWhatANightProves checks that the same pairs prove more if they come from
// more nights, that a large gain is still proven in one night, and that the sentence states
// the assumption.
func TestJudgeBoundsWhatANightProves(t *testing.T) {
	rule := Rule{Alpha: entryAlpha}
	gains := func(task, block int) int { return btoi((task*7+block*3)%10 < 2) - btoi((task*7+block*3)%10 == 9) }
	one, many := Judge("v", blocksOf(40, 16, gains), rule), Judge("v", inNights(blocksOf(40, 16, gains), func(r int) int { return r / 4 }), rule)
	if one.Nights != 1 || many.Nights != 4 || one.NewLower >= many.NewLower || one.New.Lo >= many.New.Lo || one.LogE != many.LogE {
		t.Errorf("one night: %+v\nfour: %+v", one, many)
	}
	if one.Difference-one.NewLower < 2.6*AssumedNight {
		t.Errorf("one night proves %g of %g", one.NewLower, one.Difference)
	}
	large := Judge("v", blocksOf(40, 8, func(task, block int) int { return btoi((task+block)%3 == 0) }), rule)
	if large.State != Proven || !strings.Contains(large.Reason, "measured in 1 night, on the assumption that the difference varies from night to night by 2.0 points (standard deviation)") {
		t.Errorf("%s: %s", large.State, large.Reason)
	}
	if fixed := Judge("v", blocksOf(40, 1, func(int, int) int { return 1 }), Rule{Alpha: entryAlpha, Fixed: true}); fixed.Night != 0 || strings.Contains(fixed.Reason, "night") {
		t.Errorf("%+v", fixed)
	}
}

// TestDriftIsFound checks that several nights reveal a shared shift of ten points.
func TestDriftIsFound(t *testing.T) {
	const sd, nights, tasks, blocks = .1, 10, 20, 4
	rng := rand.New(rand.NewPCG(2, 9))
	var sum float64
	for range 200 {
		pairs := make([]Pair, tasks)
		for k := range nights {
			shared := sd * rng.NormFloat64()
			for i := range pairs {
				for range blocks {
					pairs[i].A, pairs[i].B, pairs[i].Nights = append(pairs[i].A, 0), append(pairs[i].B, shared+.3*rng.NormFloat64()), append(pairs[i].Nights, k)
				}
			}
		}
		sum += newDrift(pairs, .09).variance / 200
	}
	near(t, "variance of a night", sum, (assumedNights*AssumedNight*AssumedNight+(nights-1)*sd*sd)/(assumedNights+nights-1), .0015)
}
