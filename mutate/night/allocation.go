package night

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench/confirm"
	"evolve/bench/stats"
	"evolve/runtime/text"
)

// input holds the inputs to an allocation.
type input struct {
	// Budget is the number of evaluations for this agent.
	Budget       int
	SearchTasks  int
	HoldoutTasks int
	// Params is the number of parameters that a finalist can change at once.
	Params       int
	HoldoutUnits int // the number of independent tasks to which the holdout is equivalent
	// HoldoutClusters is the number of clusters in the holdout; 0 means unknown.
	HoldoutClusters int
	// Fixed reports whether repeating an evaluation yields no new evidence.
	Fixed      bool
	Confirm    confirm.Settings
	SearchOnly bool
	Baseline   float64
	// AA is the number of evaluations that compare the champion with itself; nil means that
	// this number is not yet determined and is derived from the budget.
	AA *int
	// Watch is the number of tasks on which an agent without randomness must be measured
	// again.
	Watch int
	// Reruns is the number of times that the reruns evaluate each task.
	Reruns int
	// Cases reports whether the tasks are the cases of a scoring command.
	Cases bool
	// Variances are the known variances of the agent; the zero value means that they are
	// unknown.
	Variances stats.Variances
	// Whole reports whether finalists are left whole instead of being reduced.
	Whole bool
	// Finer reports whether parts of hunks are also tried.
	Finer bool
}

// allocation holds the number of evaluations for each stage.
type allocation struct {
	Search, Baseline, AA, Ablate, Confirm int
	// Finalists is the maximum number of variants that enter the confirmation. Blocks is
	// the number of blocks that the budget pays for if only one variant enters.
	Finalists, Blocks int
	// Detectable and Month are the smallest improvements on new tasks, in score units, that
	// a single night and a month of such nights can show with 80 % power; 0 means none.
	Detectable, Month float64
	// Power states the improvements in Detectable and Month in words; it is empty if
	// there is no confirmation.
	Power    string
	Warnings []string
}

// allocate divides a budget among the stages. The confirmation gets its share in whole
// blocks (a block runs the champion and a variant once on every holdout task). If
// repeating an evaluation yields no new evidence, it gets one block for each finalist,
// and the blocks share the champion's evaluations. The search gets the rest and gives the
// ablation of its finalists a tenth of that, or up to a quarter if there are many
// changes.
func allocate(w input) allocation {
	a := divide(w)
	if a.Confirm > 0 {
		a.power(w)
	}
	if lacks := w.shortage(a.Blocks); lacks != "" {
		a.Warnings = append(a.Warnings, lacks)
	}
	return a
}

// shortage returns a description of how the holdout falls short, given the number of blocks
// that the budget pays for. It returns "" if the holdout is large enough.
func (w input) shortage(blocks int) string {
	if w.SearchOnly {
		return ""
	}
	return w.design(blocks).Shortage(w.Cases)
}

// design returns the design of a confirmation that has the given number of blocks, with the
// variances known from earlier nights.
func (w input) design(blocks int) stats.Design {
	d := w.Confirm.Sized(blocks, w.HoldoutTasks, w.HoldoutUnits, w.Fixed).With(w.Variances)
	d.Clusters = w.HoldoutClusters
	return d
}

// divide does the same as allocate, but without the power of the confirmation, which is
// slow to compute.
func divide(w input) allocation {
	a := allocation{Search: w.Budget}
	if !w.SearchOnly {
		a.confirmation(w)
		switch {
		case w.AA != nil:
			a.AA = min(*w.AA, a.Search)
		case w.Fixed:
			a.AA = min(w.Watch, w.Budget/10, a.Search)
		default:
			a.AA = w.Reruns * min(w.SearchTasks, w.Budget/40)
		}
		a.Search -= a.AA
		share := func(part float64) int { return int(float64(a.Search) * part) }
		need := ablateNeed(w.Params, w.SearchTasks, w.Fixed)
		if w.Finer {
			need += finerNeed(w.SearchTasks)
		}
		ablate := max(share(ablateShare), min(share(mostAblate), need, a.Search-leastSearched*w.SearchTasks))
		if a.Confirm > 0 && ablate >= leastAblate && !w.Whole {
			a.Ablate = ablate
			a.Search -= a.Ablate
		}
	}
	a.Warnings = withFewVariants(a.Warnings, a.Search, w.SearchTasks)
	a.Baseline = int(float64(a.Search) * w.Baseline)
	return a
}

// confirmation reserves evaluations for the confirmation.
func (a *allocation) confirmation(w input) {
	if w.HoldoutTasks == 0 {
		return
	}
	a.Blocks = w.Confirm.Blocks(w.Budget, w.HoldoutTasks, w.Fixed)
	if a.Blocks == 0 {
		a.Warnings = append(a.Warnings, fmt.Sprintf(
			"%s too few to run each of %s once with each of the two variants, as a confirmation does: the verdict will be undecided; at least %d are needed",
			text.Count(w.Budget, "evaluation is", "evaluations are"), text.Count(w.HoldoutTasks, "holdout task"), int(math.Ceil(float64(2*w.HoldoutTasks)/w.Confirm.Share))))
		return
	}
	a.Finalists, a.Confirm = w.Confirm.Finalists, 2*w.HoldoutTasks*a.Blocks
	if w.Fixed {
		room := int(float64(w.Budget) * w.Confirm.Share)
		a.Finalists = min(a.Finalists, room/w.HoldoutTasks-1)
		a.Confirm = (a.Finalists + 1) * w.HoldoutTasks
	}
	a.Search -= a.Confirm
}

// plan writes the numbers of evaluations into a plan.
func (a allocation) plan(p *archive.AgentPlan) {
	p.Search, p.Baseline, p.AA, p.Ablate, p.Confirm = a.Search, a.Baseline, a.AA, a.Ablate, a.Confirm
	p.Finalists, p.Repeats = a.Finalists, a.Blocks
}

// power computes the improvements that the confirmation can show, and adds a warning if one
// night cannot show any.
func (a *allocation) power(w input) {
	design := w.design(a.Blocks)
	a.Detectable, a.Month = finite(design.Detectable(design.Tonight)), finite(design.Detectable(design.Month))
	a.Power = design.Statement()
	if a.Detectable == 0 && !w.Fixed && w.HoldoutUnits >= stats.LeastTasks(design.Alpha) {
		a.Warnings = append(a.Warnings, "one night cannot show any improvement on new tasks; the evidence of several nights adds up")
	}
}

// fewVariants ends the warning of [withFewVariants].
const fewVariants = ": few variants can be tried"

// withFewVariants returns the warnings, leaving out an earlier warning that the search
// has few evaluations. It adds a warning for the given numbers of evaluations and search
// tasks if there are fewer than four evaluations for each task.
func withFewVariants(warnings []string, evaluations, tasks int) []string {
	out := slices.DeleteFunc(slices.Clone(warnings), func(w string) bool { return strings.HasSuffix(w, fewVariants) })
	if tasks > 0 && evaluations < 4*tasks {
		out = append(out, "the search has "+text.Count(evaluations, "evaluation")+" for "+text.Count(tasks, "task")+fewVariants)
	}
	return out
}

// inputOf returns the input for allocating the given number of evaluations to the agent's
// stages.
func (s *Spec) inputOf(tasks Sample, evaluations int) input {
	return input{
		Budget: evaluations, SearchTasks: len(tasks.Search), HoldoutTasks: len(tasks.Holdout), HoldoutUnits: confirm.Units(tasks.Holdout), HoldoutClusters: confirm.Clusters(tasks.Holdout),
		Fixed: s.Agent.Fixed(), Confirm: s.Settings.Confirm, Baseline: s.Settings.Baseline, SearchOnly: s.Settings.SearchOnly,
		Variances: s.Variances, Params: changeable(s.Agent.Space), Whole: !s.Agent.reduces(), Finer: s.Agent.Hunks, Watch: len(s.Watch), Reruns: s.reruns(), Cases: s.Agent.Relative,
	}
}

// Allocate divides the given number of evaluations among the stages of a plan, and records
// the improvements that they can show.
func (s *Spec) Allocate(p *archive.AgentPlan, evaluations int) {
	a := allocate(s.inputOf(s.Agent.Sample(), evaluations))
	a.plan(p)
	p.Detectable, p.Month, p.Power, p.Warnings = a.Detectable, a.Month, a.Power, slices.Concat(a.Warnings, s.Cautions)
}

// NewPlan returns the agent's plan without numbers of evaluations. It includes the warnings
// that do not depend on these numbers. Candidates are measured against the latest waiting
// proposal that is not stale, if there is one.
func (s *Spec) NewPlan(waits []archive.Waiting) archive.AgentPlan {
	a, tasks := &s.Agent, s.Agent.Sample()
	p := archive.AgentPlan{
		Agent: a.ID, SuiteHash: tasks.Hash, SplitHash: tasks.SplitHash, AgentHash: a.Hash, SpaceHash: spaceHash(a.Known), PricesHash: s.Settings.Prices,
		Params: a.Space.Names(), Adapter: a.Adapter, Champion: a.Champion.ID(), Default: a.Known.Default().ID(),
		Deterministic: a.Deterministic, UsesSeed: a.UsesSeed, Metric: a.Metric, Noise: a.Noise, Guarded: a.Guarded,
		SearchTasks: len(tasks.Search), HoldoutTasks: len(tasks.Holdout), Alike: tasks.Alike, Waits: waits,
	}
	for _, suite := range a.Suites {
		p.Suites = append(p.Suites, suite.Name)
	}
	if w, ok := against(waits); ok {
		p.Against = w.Variant
	}
	if lacks := s.inputOf(tasks, 0).shortage(0); lacks != "" {
		p.Warnings = append(p.Warnings, lacks)
	}
	p.Warnings = append(p.Warnings, s.Cautions...)
	return p
}
