package stats

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// crashing returns forty tasks in two blocks. A variant gains 50 points on all of them
// except the first few, whose number is given. On these it crashes at no cost.
func crashing(crashes int) []Pair {
	var pairs []Pair
	for i := range 40 {
		p := Pair{
			Task: fmt.Sprint(i), A: []float64{.3, .3}, B: []float64{.8, .8}, CostA: []float64{.001, .001}, CostB: []float64{.001, .001},
			FailedA: make([]bool, 2), FailedB: make([]bool, 2),
		}
		if i < crashes {
			p.B, p.CostB, p.FailedB = []float64{0, .8}, []float64{0, .001}, []bool{true, false}
		}
		pairs = append(pairs, p)
	}
	return pairs
}

func TestFailuresAreNamed(t *testing.T) {
	rule := Rule{Alpha: .05, Guards: []Bound{{Name: Cost, Of: Mean, AtMost: 1.1}}}
	r := Judge("v", crashing(5), rule)
	f := r.Failures
	if f == nil || f.Champion != 0 || f.Variant != 5 || f.Only != 5 || f.Tasks != 40 || f.VariantRuns != 5 || f.Runs != 80 {
		t.Fatalf("failures %+v, want 5 of 40 tasks and 5 of 80 runs", f)
	}
	if math.Abs(f.OnlyMost-.2447) > .001 { // the exact upper bound for 5 of 40 at .05
		t.Errorf("at most %.4f of new tasks, want .2447", f.OnlyMost)
	}
	for what, words := range map[string]string{"reason": r.Reason, "cause": r.cause(Design{}).Sentence} {
		if !strings.Contains(words, "on 5 of 40 tasks where the champion does not") {
			t.Errorf("the %s does not name the crashes: %s", what, words)
		}
	}
	if got := r.Guards[0].Ratio; math.Abs(got-1) > 1e-9 {
		t.Errorf("the cost is ×%.4f of the champion's, want 1: a crash saves nothing", got)
	}
	rule.Reference = waits()
	if r := Judge("v", crashing(5), rule); !strings.Contains(r.Reason, "on 5 of 40 tasks where P3 (v352, awaiting a decision) does not") || strings.Contains(r.Reason, "champion") {
		t.Errorf("what waits is not named: %s", r.Reason)
	}
	if r := Judge("v", crashing(0), rule); r.Failures != nil || strings.Contains(r.Reason, "crashes") {
		t.Errorf("nothing failed, and %+v is told: %s", r.Failures, r.Reason)
	}
}

// TestFailuresOfBothSides checks that tasks that fail on both sides are not held against
// the variant, and that a failure that costs more than an answer counts as a cost.
func TestFailuresOfBothSides(t *testing.T) {
	pairs := crashing(5)
	for i := range pairs {
		pairs[i].FailedA = slices.Clone(pairs[i].FailedB)
	}
	r := Judge("v", pairs, Rule{Alpha: .05, Guards: []Bound{{Name: Cost, Of: Mean, AtMost: 1.1}}})
	if f := r.Failures; f.Only != 0 || f.Champion != 5 || f.Words(nil) != "" {
		t.Errorf("failures %+v, want 5 tasks of both sides", f)
	}
	pairs[6].FailedB[0], pairs[6].CostB[0] = true, .5
	r = Judge("v", pairs, Rule{Alpha: .05, Guards: []Bound{{Name: Cost, Of: Mean, AtMost: 1.1}}})
	if r.Guards[0].Ratio < 2 {
		t.Errorf("cost ×%.2f: what a failure costs is left out", r.Guards[0].Ratio)
	}
	if again := normalizePairs(normalizePairs(pairs)); again[0].failedB != 1 || again[0].runs != 2 {
		t.Errorf("gathered twice, %d of %d runs failed, want 1 of 2", again[0].failedB, again[0].runs)
	}
}
