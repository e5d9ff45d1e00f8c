package stats

import (
	"fmt"
	"math"
	"strings"

	"evolve/runtime/text"
)

// reason returns the state in a sentence.
func (r *Ruling) reason(rule Rule) string {
	measured := r.inMetric() + fmt.Sprintf("%s points on %s, %s each", text.Points(r.Difference), text.Count(r.Tasks, "task"), text.Times(r.Blocks))
	if r.MissingCounted {
		measured += fmt.Sprintf(", counting missing data (%s missing for the variant, %d for %s)", text.Count(r.MissingB, "evaluation"), r.MissingA, r.Reference.Words())
	}
	switch r.State {
	case Proven:
		return fmt.Sprintf("better on new tasks like these: %s, and at least %s points at the level of this confirmation (%s)%s%s", measured, text.Points(r.NewLower), text.Percent(r.BoundLevel()), r.since()+r.Undecided(), r.price()+r.leavesOpen())
	case Trade:
		return fmt.Sprintf("better on new tasks like these (%s), at a price: %s%s", measured, strings.Join(r.prices(), "; ")+r.Undecided(), r.price()+r.leavesOpen())
	case HereOnly:
		if r.few() {
			return fmt.Sprintf("better on these tasks only: %s, on %s; at least %d are needed for new tasks", measured, r.independent(), r.Least)
		}
		return fmt.Sprintf("better on these tasks only: %s; the tasks differ too much from one another to show it for new ones", measured)
	case Harmful:
		if rule.Fixed {
			return fmt.Sprintf("not better: %s, and a repeat would give the same result", measured)
		}
		return fmt.Sprintf("proven worse on these tasks: %s", measured)
	case Vetoed:
		return strings.Join(r.objections(), "; ")
	case Parked:
		return fmt.Sprintf("parked after twice the projected %.0f pairs: %s", rule.Cap, r.standing(measured))
	}
	return r.standing(measured)
}

// since describes when a claim was first proven, or returns "" if the confirmation did not
// continue after that.
func (r *Ruling) since() string {
	if r.Proof == nil || r.Proof.Blocks == r.Blocks {
		return ""
	}
	return ", shown after each task had run " + text.Times(r.Proof.Blocks)
}

// leavesOpen describes what a claim about new tasks does not cover.
func (r *Ruling) leavesOpen() string {
	words := r.crashes()
	if r.Tail == nil {
		return words
	}
	words += "; " + r.Tail.words(r.Reference.gain(), r.independent())
	if r.Night > 0 {
		words += "; " + r.Assumes()
	}
	return words
}

// Assumes describes what the interval for new tasks assumes about other nights.
func (r *Ruling) Assumes() string {
	if r.Night == 0 {
		return ""
	}
	return fmt.Sprintf("measured in %s, on the assumption that the difference varies from night to night by %s points (standard deviation)", text.Count(r.Nights, "night"), text.Size(r.Night))
}

// Uneven reports whether the clusters have weights so different that they count as fewer
// independent tasks than there are clusters.
func (r *Ruling) Uneven() bool { return r.Independent < float64(r.Clusters)-.05 }

// independent returns a phrase that states the number of independent tasks and, if the
// weights are uneven, their effective number.
func (r *Ruling) independent() string {
	words := text.Count(r.Clusters, "independent task")
	if r.Uneven() {
		words += fmt.Sprintf(" (which count as %.1f by weight)", r.Independent)
	}
	return words
}

// standing describes the evidence so far for a candidate that is still open or parked.
func (r *Ruling) standing(measured string) string {
	switch {
	case r.Pairs == 0:
		return "no task was scored on both sides"
	case r.Claim == TheseTasks:
		return fmt.Sprintf("better on these tasks: %s; not yet shown for new ones", measured)
	}
	return fmt.Sprintf("not decided: %s; the evidence is %s to 1, but %.0f to 1 is required", measured, twoDigits(math.Exp(r.LogE)), math.Exp(r.Threshold))
}

// objections returns the reasons for a veto.
func (r *Ruling) objections() []string {
	var out []string
	for _, p := range r.Parts {
		if p.Verdict == DomainVeto {
			out = append(out, fmt.Sprintf("the domain %s is proven worse (%s points on %s)", p.Domain, text.Points(p.Difference), text.Count(p.Tasks, "task")))
		}
	}
	return out
}

// prices describes the broken guards, with the values of champion and candidate.
func (r *Ruling) prices() []string {
	var out []string
	for _, g := range r.Guards {
		if g.Broken() {
			out = append(out, g.Sentence())
		}
	}
	return out
}

// openGuards describes the open guards that are not broken. It returns "" if there are
// none.
func (r *Ruling) openGuards() string {
	out := ""
	for _, g := range r.Guards {
		if g.Verdict == GuardOpen && !g.Broken() {
			out += "; guard not yet shown to hold: " + g.Sentence()
		}
	}
	return out
}
