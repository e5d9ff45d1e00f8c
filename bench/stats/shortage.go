package stats

import (
	"fmt"

	"evolve/runtime/text"
)

// Shortage describes why the holdout does not suffice for a claim about new tasks,
// whatever is measured on it. It returns "" if the holdout has enough tasks for such a
// claim. cases reports whether the tasks are the cases of a scoring command, half of
// which are held out.
func (d Design) Shortage(cases bool) string {
	least := LeastTasks(d.Alpha)
	if d.Units >= least {
		return ""
	}
	needed := ""
	if d.Tasks > 0 && (!cases || d.Within > 0) { // the number of cases that are needed is unknown before a night
		if n := d.Needed(Practical); n > d.Units {
			needed = fmt.Sprintf("; to show a gain of %s points on new tasks, about %s are needed", text.Size(Practical), text.Count(n, "independent holdout task"))
		}
	}
	switch {
	case cases && d.Tasks == 0:
		return fmt.Sprintf("no case is held out: the night can search, but can neither confirm nor propose anything; to confirm, it needs at least %d held-out cases, so the scoring command must print at least %d, half of which are held out", least, 2*least)
	case cases:
		return fmt.Sprintf("%s cannot confirm a version, so none is proposed; confirming one takes at least %d, so the scoring command must print at least %d, half of which are held out%s", text.Count(d.Units, "independent held-out case"), least, 2*least, needed)
	case d.Tasks == 0:
		return fmt.Sprintf("the suite has no holdout tasks: the run can search, but its verdict stays undecided; a claim about new tasks needs at least %d", least)
	}
	return fmt.Sprintf("%s %s too few for a claim about new tasks, which needs at least %d: \"better on these tasks\" is all that can be shown%s",
		d.UnitWords(), isAre(d.Units), least, needed)
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
