package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"evolve/runtime/text"
)

const (
	// tailAlpha is the error of the bounds on shares of tasks, and of the finding that a
	// task is clearly worse.
	tailAlpha = 0.05
	// tailLoss is the smallest loss, in score units, at which a task of a fixed agent
	// counts as worse.
	tailLoss = 0.10
)

// Tail describes a risk that a mean does not show: the tasks on which a candidate loses. A
// few tasks of a kind that is missing in the holdout can cancel a whole gain, and no test
// on this number of tasks can exclude them.
type Tail struct {
	// Unseen is the share of new tasks that could be of a kind that is not among these, 1
	// − .05^(1/M) for M independent tasks: if the share is that large, M tasks contain no
	// task of such a kind in one case out of twenty.
	Unseen float64 `json:"unseen"`
	// BreakEven is the share of all tasks on which the candidate may fail completely before
	// the measured gain is lost, gain/(gain + the champion's score); it is 0 if there is no
	// gain.
	BreakEven float64 `json:"break_even"`
	// Worse is the number of independent tasks on which the candidate is clearly worse,
	// according to the runs on these tasks: proven at .05, or for a fixed agent by 10
	// points or more. WorseMost bounds their share of all tasks at .05 (Clopper and
	// Pearson 1934); if there are no such tasks, WorseMost equals Unseen.
	Worse     int     `json:"worse"`
	WorseMost float64 `json:"worse_most"`
	// Failing is the number of independent tasks on which every run of the candidate scores
	// 0 but not every run of the champion does. The candidate may always fail them, which a
	// few runs cannot prove. FailingMost bounds their share in the same way.
	Failing     int     `json:"failing,omitempty"`
	FailingMost float64 `json:"failing_most,omitempty"`
	Tasks       int     `json:"tasks"`
}

// newTail examines the clusters of gathered pairs one by one; independent is their
// effective number.
func newTail(clean []Pair, c Comparison, independent float64, fixed bool) *Tail {
	if c.Clusters == 0 {
		return nil
	}
	t := &Tail{Unseen: 1 - math.Pow(tailAlpha, 1/math.Max(1, independent)), Tasks: c.Clusters}
	if c.Difference > 0 {
		t.BreakEven = math.Min(1, c.Difference/(c.Difference+c.MeanA))
	}
	for i := 0; i < len(clean); {
		first, failing := i, false
		for ; i < len(clean) && clean[i].Cluster == clean[first].Cluster; i++ {
			failing = failing || clean[i].failsThroughout()
		}
		if failing && !fixed { // a fixed agent's tasks are counted below
			t.Failing++
		}
		s := sampleOf(clean[first:i])
		if fixed && s.Mean() <= -tailLoss || s.LogInferior(0) >= -math.Log(tailAlpha) {
			t.Worse++
		}
	}
	t.WorseMost = shareMost(float64(t.Worse), math.Max(1, independent))
	if t.Failing > 0 {
		t.FailingMost = shareMost(float64(t.Failing), math.Max(1, independent))
	}
	return t
}

// failsThroughout reports whether no run of side B scores above 0 while at least one run of
// side A does.
func (p Pair) failsThroughout() bool {
	above := func(score float64) bool { return score > 0 }
	return len(p.B) > 0 && !slices.ContainsFunc(p.B, above) && slices.ContainsFunc(p.A, above)
}

// shareMost returns an upper bound on the share of a kind in a population. The evidence
// is n draws; found is the number of them that are of that kind. At any share above the
// bound, the probability of so few such draws is at most .05.
func shareMost(found, n float64) float64 {
	if found >= n {
		return 1
	}
	return mathext.InvRegIncBeta(found+1, n-found, 1-tailAlpha)
}

// TailWords describes the risks that a claim about the mean leaves open. The ruling must
// have a tail.
func (r *Ruling) TailWords() string { return r.Tail.words("the gain", r.independent()) }

// words describes the risks, with a name for the gain and the number of independent tasks
// in words.
func (t *Tail) words(gain, tasks string) string {
	s := fmt.Sprintf("up to %s of new tasks could be of a kind that these %s do not include, and fail unnoticed; %s would be lost if %s of new tasks failed completely",
		text.Percent(t.Unseen), tasks, gain, text.Percent(t.BreakEven))
	if t.BreakEven > 0 && t.Unseen > t.BreakEven {
		s += ", which so few tasks cannot exclude"
	}
	if t.Worse > 0 {
		s += fmt.Sprintf("; %s got clearly worse, which may happen to at most %s of new tasks", text.Count(t.Worse, "independent task"), text.Percent(t.WorseMost))
	}
	if t.Failing > 0 {
		s += fmt.Sprintf("; the candidate failed on %s in every run, as it would on at most %s of new tasks", text.Count(t.Failing, "independent task"), text.Percent(t.FailingMost))
	}
	return s
}
