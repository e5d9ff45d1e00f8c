package stats

import (
	"fmt"
	"math"

	"evolve/runtime/text"
)

// Failures counts evaluations without a gradable answer through the agent's own fault: a
// crash, a timeout, a broken contract. Each scores 0, so the mean includes them; they are
// reported so that a gain bought with failures is visible. Only complete pairs count.
type Failures struct {
	// Champion is the number of tasks on which an evaluation of the champion failed,
	// Variant is the number of tasks on which an evaluation of the variant failed, and
	// Tasks is the number of all tasks.
	Champion int `json:"champion"`
	Variant  int `json:"variant"`
	Tasks    int `json:"tasks"`
	// ChampionRuns and VariantRuns are the numbers of failed evaluations, out of Runs
	// evaluations on each side.
	ChampionRuns int `json:"champion_runs"`
	VariantRuns  int `json:"variant_runs"`
	Runs         int `json:"runs"`
	// Only is the number of tasks on which the variant failed and the champion never did.
	// OnlyMost bounds the share of such tasks among new tasks at an error of .05 (Clopper
	// and Pearson 1934), with clusters as units.
	Only     int     `json:"only"`
	OnlyMost float64 `json:"only_most"`
}

// newFailures counts the failures in gathered pairs; independent is the effective number of
// clusters. It returns nil if nothing failed.
func newFailures(clean []Pair, independent float64) *Failures {
	f := Failures{Tasks: len(clean)}
	units, last := 0, ""
	for i, p := range clean {
		f.Runs += p.runs
		f.ChampionRuns += p.failedA
		f.VariantRuns += p.failedB
		if p.failedA > 0 {
			f.Champion++
		}
		if p.failedB > 0 {
			f.Variant++
		}
		if p.failedB > 0 && p.failedA == 0 {
			f.Only++
			if i == 0 || units == 0 || p.Cluster != last {
				units, last = units+1, p.Cluster
			}
		}
	}
	if f.ChampionRuns+f.VariantRuns == 0 {
		return nil
	}
	f.OnlyMost = shareMost(float64(units), math.Max(1, independent))
	return &f
}

// Words describes the tasks on which only the variant fails. It returns "" if there are
// none.
func (f *Failures) Words(against *Reference) string {
	if f == nil || f.Only == 0 {
		return ""
	}
	return fmt.Sprintf("it crashes or gives no answer on %s of %s where %s does not (with 95 %% confidence, on at most %s of new tasks)",
		text.Whole(f.Only), text.Count(f.Tasks, "task"), against.Words(), text.Percent(f.OnlyMost))
}

// crashes returns the clause about the tasks on which only the variant fails, or "" if
// there are none.
func (r *Ruling) crashes() string {
	if words := r.Failures.Words(r.Reference); words != "" {
		return "; " + words
	}
	return ""
}

// answered returns the values of a metric without the pairs in which a side failed and
// consumed less than the other, since a crash must not count as a saving. A failure that
// consumed more does count.
func (p Pair) answered(a, b []float64) (x, y []float64) {
	for r := range min(len(a), len(b)) {
		cheap := failed(p.FailedA, r) && a[r] < b[r] || failed(p.FailedB, r) && b[r] < a[r]
		if finite(a[r]) && finite(b[r]) && !cheap {
			x, y = append(x, a[r]), append(y, b[r])
		}
	}
	return x, y
}

func failed(list []bool, repeat int) bool { return repeat < len(list) && list[repeat] }
