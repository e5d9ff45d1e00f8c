package nightly

import (
	"fmt"
	"math"

	"evolve/bench/stats"
)

// Want is what an allocation is made from.
type Want struct {
	// Budget is the evaluations for this agent.
	Budget        int
	SearchTasks   int
	HoldoutTasks  int
	HoldoutUnits  int // clusters among the holdout tasks
	Deterministic bool
	UsesSeed      bool
	Finalists     int
	Share         float64
	MaxRepeats    int
	Level         float64
	SearchOnly    bool
	Baseline      float64
}

// Allocation says how many evaluations each stage gets.
type Allocation struct {
	Search, Baseline, AA, Confirm int
	Finalists, Repeats            int
	// Detectable is the smallest improvement the confirmation can see at 80 %
	// power, in score units; 0 when it can see none.
	Detectable float64
	Warnings   []string
}

// Allocate divides a budget among the stages. The confirmation needs whole
// blocks (champion and every finalist once on every holdout task); what it cannot
// use goes to the search.
func Allocate(w Want) Allocation {
	a := Allocation{Search: w.Budget}
	if !w.SearchOnly {
		a = confirmation(w)
		if w.UsesSeed || !w.Deterministic {
			a.AA = 2 * min(w.SearchTasks, w.Budget/40)
			a.Search -= a.AA
		}
	}
	if w.SearchTasks > 0 && a.Search < 4*w.SearchTasks {
		a.Warnings = append(a.Warnings, fmt.Sprintf("the search has %d evaluations for %d tasks: few variants can be tried", a.Search, w.SearchTasks))
	}
	a.Baseline = int(float64(a.Search) * w.Baseline)
	return a
}

func confirmation(w Want) Allocation {
	a := Allocation{Search: w.Budget}
	if w.HoldoutTasks == 0 {
		a.Warnings = append(a.Warnings, "the suite has no holdout tasks: the run can search, and its verdict is undecided")
		return a
	}
	room := int(float64(w.Budget) * w.Share)
	for f := w.Finalists; f >= 1; f-- {
		block := (f + 1) * w.HoldoutTasks
		if block > room {
			continue
		}
		a.Finalists, a.Repeats = f, min(room/block, w.MaxRepeats)
		if w.Deterministic && !w.UsesSeed {
			a.Repeats = 1
		}
		a.Confirm = block * a.Repeats
		a.Search = w.Budget - a.Confirm
		break
	}
	if a.Confirm == 0 {
		a.Warnings = append(a.Warnings, fmt.Sprintf(
			"%d evaluations leave no room for one block of the confirmation (%d holdout tasks × 2): the verdict will be undecided; at least %d are needed",
			w.Budget, w.HoldoutTasks, int(float64(2*w.HoldoutTasks)/w.Share)+1))
		return a
	}
	a.Detectable = stats.Planned(w.HoldoutUnits, stats.PriorSD, a.Repeats, 1-w.Level, a.Finalists)
	if math.IsInf(a.Detectable, 1) {
		a.Detectable = 0
	}
	if w.HoldoutUnits < 10 {
		a.Warnings = append(a.Warnings, fmt.Sprintf("%d independent holdout tasks are too few for a claim about new tasks", w.HoldoutUnits))
	}
	return a
}
