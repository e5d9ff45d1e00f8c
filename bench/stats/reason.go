package stats

import (
	"fmt"
	"math"
	"strings"
)

// reason is the state in one plain sentence.
func (r *Ruling) reason(rule Rule) string {
	measured := fmt.Sprintf("%s points on %s × %s", signed(r.Difference), plural(r.Tasks, "task"), plural(r.Blocks, "block"))
	switch r.State {
	case Proven:
		return fmt.Sprintf("better on new tasks like these: %s, and at least %s points at the level of this entry", measured, signed(r.NewLower))
	case HereOnly:
		if need := leastClusters(rule.Alpha); rule.Fixed && r.Clusters < need {
			return fmt.Sprintf("better on these tasks only: %s, on %s; at least %d are needed for new tasks", measured, plural(r.Clusters, "independent task"), need)
		}
		return fmt.Sprintf("better on these tasks only: %s; they differ too much from one another for these tasks to show it of new ones", measured)
	case Harmful:
		if rule.Fixed {
			return fmt.Sprintf("not better: %s, where a repeat would say the same", measured)
		}
		return fmt.Sprintf("proven worse on these tasks: %s", measured)
	case Vetoed:
		return strings.Join(r.objections(), "; ")
	case Parked:
		return fmt.Sprintf("parked after twice the %.0f pairs it was projected to need: %s", rule.Cap, r.standing(measured))
	}
	return r.standing(measured)
}

// standing says how far the proof is while nothing is decided.
func (r *Ruling) standing(measured string) string {
	switch {
	case r.Pairs == 0:
		return "no pair was scored on both sides"
	case r.Claim == NewTasks:
		return fmt.Sprintf("better on new tasks like these: %s; %s", measured, strings.Join(r.unproven(), "; "))
	case r.Claim == TheseTasks:
		return fmt.Sprintf("better on these tasks: %s; not yet shown of new ones", measured)
	}
	return fmt.Sprintf("not decided: %s, evidence %.2g to 1 where %.0f to 1 prove it", measured, math.Exp(r.LogE), math.Exp(r.Threshold))
}

// objections name what vetoes.
func (r *Ruling) objections() []string {
	var out []string
	for _, g := range r.Guards {
		if g.Verdict == GuardFailed {
			out = append(out, fmt.Sprintf("%s is proven to be more than %s above the champion's (%s)", g.Name, percent(g.Most), percent(g.Ratio)))
		}
	}
	for _, p := range r.Parts {
		if p.Verdict == DomainVeto {
			out = append(out, fmt.Sprintf("the domain %s is proven worse (%s points on %s)", p.Domain, signed(p.Difference), plural(p.Tasks, "task")))
		}
	}
	return out
}

// unproven names the guards that have not passed.
func (r *Ruling) unproven() []string {
	var out []string
	for _, g := range r.Guards {
		if g.Verdict != GuardPassed {
			out = append(out, fmt.Sprintf("%s is not yet proven to be at most %s above the champion's (%s)", g.Name, percent(g.Most), percent(g.Ratio)))
		}
	}
	return out
}

// percent writes a ratio as the change that it is.
func percent(ratio float64) string { return fmt.Sprintf("%+.0f %%", 100*(ratio-1)) }
