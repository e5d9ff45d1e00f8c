package model

import (
	"fmt"
	"math"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/runtime/text"
)

// mostBudgets is the largest budget that is suggested for a decision, as a multiple of
// the run's budget. If a decision needs a larger budget, a single night does not suffice,
// but more tasks help.
const mostBudgets = 20

// unproposed returns the commands that help if nothing was proposed: a command that may
// decide an open verdict of the latest run, and the command that opens the report page.
func (b *builder) unproposed(run string) []string {
	page := "evolve report " + run + " --open"
	switch b.out.Decision.Verdict {
	case archive.Keep:
		variants := "evolve variants"
		if len(b.run.Agents) > 1 {
			variants += " --agent " + text.ShellQuote(b.out.Agent)
		}
		return []string{page, variants}
	case archive.Undecided:
		if b.latest && b.finished {
			return []string{b.deciding(), page}
		}
		return []string{page}
	}
	return []string{"evolve report " + run}
}

// deciding returns the command for a run that may decide an open verdict, or the command
// that shows what prevents a decision.
func (b *builder) deciding() string {
	var causes []stats.Cause
	for _, c := range b.result.Causes {
		if c.Kind != stats.CauseVetoed && c.Kind != stats.CauseHarmful && c.Kind != stats.CauseRuledOut {
			causes = append(causes, c)
		}
	}
	if len(causes) == 0 {
		return "evolve run"
	}
	switch c := causes[0]; c.Kind {
	case stats.CauseOpen:
		if n := b.budgetFor(c.Figures["more_pairs"]); n > 0 {
			return fmt.Sprintf("evolve run --budget-evals %d", n)
		}
	case stats.CauseNoRoom, stats.CauseNoBudget: // the plan shows how many evaluations are needed
		return "evolve run --dry-run"
	case stats.CauseHereOnly, stats.CauseTooLong, stats.CauseNoTasks, stats.CauseNoHoldout, stats.CauseVaries: // more tasks or other agent settings are needed
		return "evolve doctor"
	case stats.CauseNoEntry: // confirmations left
		return "evolve status"
	}
	return "evolve run"
}

// budgetFor returns the number of evaluations that a run needs for its confirmation to
// have the given number of pairs, if it divides its evaluations as this run does. It
// returns 0 if this run's budget suffices, if a limit other than the limit on evaluations
// may bind, or if the number would be very large.
func (b *builder) budgetFor(pairs float64) int {
	p := b.plan
	of := float64(p.Search + p.AA + p.Ablate + p.Confirm)
	r := b.run
	onlyEvaluations := r.BudgetEval > 0 && r.BudgetUSD == 0 && r.BudgetTime == 0 && r.Until.IsZero()
	if !onlyEvaluations || len(b.run.Agents) != 1 || p.Confirm == 0 || !(pairs > 0) {
		return 0
	}
	n := 2 * pairs * of / float64(p.Confirm)
	if n <= of || n > mostBudgets*of {
		return 0
	}
	scale := math.Pow(10, math.Floor(math.Log10(n))-1)
	return int(math.Ceil(n/scale-1e-9) * scale)
}
