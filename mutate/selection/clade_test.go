package selection

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("%s is %.12g, want %.12g", what, got, want)
	}
}

// TestCladeByHand checks hand-calculated values. A root of gain .1 has a child of gain .6,
// which has children of .4 and −.2. Credit halves with each step: the root has 1 + 1/2 +
// 2/4 evaluations, and a gain of .1 + .6/2 + .2/4. The posterior at the root has the
// precision 1/.05² + 2/.17.
func TestCladeByHand(t *testing.T) {
	list := []Candidate{
		{Evaluations: 1, Mean: .1},
		{Evaluations: 1, Mean: .6, Parents: []int{0}},
		{Evaluations: 2, Mean: .1, Parents: []int{1}},
	}
	counts, gains := cladeSums(list)
	for i, want := range [][2]float64{{2, .45}, {2, .7}, {2, .2}} {
		near(t, "count", counts[i], want[0])
		near(t, "gain", gains[i], want[1])
	}
	mean, sd := cladePosterior(counts[0], gains[0], .17)
	near(t, "posterior mean", mean, .45/.17/(400+2/.17))
	near(t, "posterior mean", mean, .006428571428571429)
	near(t, "posterior sd", sd, .04928053803045812)
}

func TestTwoParentsShareTheCredit(t *testing.T) {
	// Candidate 3 is a child of 1 and 2, both children of 0, so it is two steps below 0 on
	// either path.
	list := []Candidate{
		{Evaluations: 4},
		{Evaluations: 2, Mean: .5, Parents: []int{0}},
		{Evaluations: 2, Mean: -.5, Parents: []int{0}},
		{Evaluations: 8, Mean: .25, Parents: []int{1, 2}},
	}
	counts, gains := cladeSums(list)
	near(t, "count at the root", counts[0], 4+.5*(2+2)+.25*8)
	near(t, "gain at the root", gains[0], .25*2)
	near(t, "count of a parent", counts[1], 2+.25*8)
	near(t, "gain of a parent", gains[1], 1+.25*2)
}

func TestRunVariance(t *testing.T) {
	near(t, "without evaluations", runVariance([]Candidate{{}}), .17)
	near(t, "of 30 at .5 and 10 at .9", runVariance([]Candidate{{Evaluations: 30, Sum: 15}, {Evaluations: 10, Sum: 9}}), (30*.25+10*.09)/40)
	near(t, "of certainty", runVariance([]Candidate{{Evaluations: 30, Sum: 30}}), .01)
	near(t, "of known differences", runVariance([]Candidate{{Evaluations: 30, Sum: 15}, {Evaluations: 10, Variance: .002}, {Variance: .004}}), .003)
}

// TestCladeOfMeasurements checks that a gain is detected if it is small compared with the
// range of scores but large compared with its error: scores of measurements differ far less
// than passes and failures do.
func TestCladeOfMeasurements(t *testing.T) {
	list := []Candidate{{}, {Number: 1, Evaluations: 10, Sum: 5.1, Mean: .01, Variance: .0005}, {Number: 2, Evaluations: 10, Sum: 5.4, Mean: .04, Variance: .0005}}
	if s := shares(clade, list, Budget{}, 1000, 1); s[2] < .95 {
		t.Errorf("shares %.2f; want nearly always the better one", s)
	}
}

// TestCladePrefersAParentOfGoodChildren checks that of two equal variants the one with
// the better children is selected. Without noise, it would always be selected.
func TestCladePrefersAParentOfGoodChildren(t *testing.T) {
	list := []Candidate{
		{Evaluations: 50, Sum: 25},
		{Evaluations: 20, Sum: 10, Mean: .02, Parents: []int{0}, Number: 1},
		{Evaluations: 20, Sum: 10, Mean: .02, Parents: []int{0}, Number: 2},
		{Evaluations: 60, Sum: 36, Mean: .1, Parents: []int{2}, Number: 3},
		{Evaluations: 60, Sum: 24, Mean: -.1, Parents: []int{1}, Number: 4},
	}
	got := shares(mustNamed(t, "clade"), list, Budget{}, 2000, 5)
	if !(got[2] > 5*got[1]) || !(got[3] > got[2]) {
		t.Errorf("shares %.3f", got)
	}
}

// TestCreditIsConserved checks that at γ = 1 the credits of the roots of a lineage add up
// to the total of all candidates.
func TestCreditIsConserved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "n")
		list := make([]Candidate, n)
		own, total := make([]float64, n), 0.0
		for i := range list {
			own[i] = float64(rapid.IntRange(0, 50).Draw(t, "own"))
			total += own[i]
			if i > 0 {
				list[i].Parents = rapid.SliceOfN(rapid.IntRange(0, i-1), 0, 3).Draw(t, "parents")
			}
		}
		credit(list, 1, own)
		roots := 0.0
		for i, c := range list {
			if len(c.Parents) == 0 {
				roots += own[i]
			}
		}
		if math.Abs(roots-total) > 1e-9*total {
			t.Fatalf("roots hold %v of %v", roots, total)
		}
	})
}
