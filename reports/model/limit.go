package model

import (
	"evolve/archive"
	"evolve/reports/number"
)

// LimitWords returns a sentence that names the limit that stopped the work on an agent and
// the amount used, or states that no limit did.
func LimitWords(l archive.AgentLimit) string {
	name := map[string]string{"evaluations": "evaluations", "money": "money", "time": "time", "deadline": "the deadline"}[l.Bound]
	used, of := number.Plural(l.Used, "evaluation"), number.Count(l.Used)+" of "+number.Plural(l.Evaluations, "evaluation")
	if l.Missing > 0 {
		of += " used, " + number.Count(l.Missing) + " more lost to infrastructure"
	} else {
		of += " used"
	}
	switch l.End {
	case archive.LimitInterrupted:
		return "none: the run was interrupted after " + used
	case archive.LimitFailed:
		return "none: the run failed after " + used
	case archive.LimitPolicies:
		return "a limit under `policies` stopped the search after " + used + ": " + clip(l.Policy, MaxReason)
	case archive.LimitExhausted:
		return "none: after " + used + " the search had no config left to try"
	case archive.LimitSpent, archive.LimitLeft:
	}
	switch {
	case l.Bound == "enough":
		return "none: more evaluations would hardly improve the search"
	case name == "":
		return "unknown: the run ended before a limit was reached"
	case l.End == archive.LimitLeft:
		return name + " limited the search, " + of + "; the confirmation needed no more"
	case l.End == archive.LimitSpent:
		return name + " limited the run, " + of
	}
	return name + " limited the run, with room for " + number.Plural(l.Evaluations, "evaluation")
}
