package stats

import (
	"fmt"
	"math"
)

// Failures count what got no answer that could be graded, by the doing of the agent itself: a crash, a timeout,
// a broken contract. Each scores 0, so that the mean holds it already; a gain that is bought with
// failures is named all the same. Only complete pairs count.
type Failures struct {
	// Champion and Variant are the tasks on which an evaluation of theirs failed, Tasks all of them.
	Champion int `json:"champion"`
	Variant  int `json:"variant"`
	Tasks    int `json:"tasks"`
	// ChampionRuns and VariantRuns are the evaluations that failed, of Runs on either side.
	ChampionRuns int `json:"champion_runs"`
	VariantRuns  int `json:"variant_runs"`
	Runs         int `json:"runs"`
	// Only counts the tasks on which the variant failed and the champion never did. OnlyMost bounds
	// their share of new tasks at an error of .05 (Clopper and Pearson 1934), with clusters as units.
	Only     int     `json:"only"`
	OnlyMost float64 `json:"only_most"`
}

// newFailures counts the failures in gathered pairs; independent is the effective number of
// their clusters. Nil: nothing failed.
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

// Words name the tasks on which only the variant fails, and not what it was measured against; empty without one.
func (f *Failures) Words(against *Reference) string {
	if f == nil || f.Only == 0 {
		return ""
	}
	return fmt.Sprintf("it crashes or gives no answer on %d of %s where %s does not (at most %s of new ones at .05)",
		f.Only, plural(f.Tasks, "task"), against.Words(), percentage(f.OnlyMost))
}

// crashes is the clause that names them; empty without any.
func (r *Ruling) crashes() string {
	if words := r.Failures.Words(r.Reference); words != "" {
		return "; " + words
	}
	return ""
}

// answered keeps what a metric says of the pairs in which not answering saved nothing: a side that failed
// and consumed less than the other leaves its pair out, as a crash costs nothing. A
// failure that consumed more is paid for, and counts.
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
