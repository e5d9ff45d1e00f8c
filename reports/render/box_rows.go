package render

import (
	"fmt"
	"strings"

	"evolve/bench/stats"
	"evolve/reports/model"
	"evolve/reports/number"
)

// guardRows returns the rows for cost, latency and the other guards.
func guardRows(s subject) []boxRow {
	var out []boxRow
	for _, g := range guardsOf(s) {
		if !g.Measured() {
			out = append(out, boxRow{Label: g.Label(), Note: guardText(g)})
			continue
		}
		row := boxRow{
			Label:   g.Label(),
			Figures: []spans{say(g.Amount(g.Champion) + " → " + g.Amount(g.Candidate)), say(number.Change(g.Ratio)), say(number.ChangeInterval(g.Lo, g.Hi))},
			Note:    guardText(g),
		}
		switch words := row.Label + " " + row.figures() + ", " + row.Note.raw(); {
		case g.Broken:
			row.Price = "the variant breaks a guard: " + words
		case g.Ratio > 1 && changed(model.Ratio{Ratio: g.Ratio, Lo: g.Lo, Hi: g.Hi}):
			row.Price = PricePrefix + words
		}
		out = append(out, row)
	}
	return out
}

// guardMark returns a sign or a word that stands for the verdict of a guard.
func guardMark(g model.Guard) span {
	switch g.Verdict {
	case stats.GuardPassed:
		return styled("✓", good)
	case stats.GuardFailed:
		return styled("✗", bad)
	}
	return span{Text: "~ unsure:"}
}

// failuresRow returns the row with the numbers of tasks that each side failed. The row is
// empty unless the variant fails a task that the other side does not fail. The row counts
// as a price only if the variant fails more tasks than the other side.
func failuresRow(h model.Headline, against string) boxRow {
	if h.Evidence == nil || h.Evidence.Failures == nil || h.Evidence.Failures.Only == 0 {
		return boxRow{}
	}
	f := h.Evidence.Failures
	note := against + " " + number.Count(f.Champion) + " of " + number.Plural(f.Tasks, "task") + " → variant " + number.Count(f.Variant) + " of " + number.Count(f.Tasks) +
		" (" + number.Percent(float64(f.Variant)/float64(f.Tasks)) + "); " + number.Count(f.Only) + " that " + strings.Replace(against, "champion", "the champion", 1) + " answers, which happens on at most " + number.Percent(f.OnlyMost) + " of new tasks, with 95 % confidence"
	if f.Variant <= f.Champion {
		return boxRow{Label: "failures", Note: say(note)}
	}
	return boxRow{Label: "failures", Note: say(styled(note, bad)), Price: PricePrefix + "failures, " + note}
}

// tailRow returns the row for the risks that a claim about new tasks leaves open.
func tailRow(h model.Headline, r *stats.Reference) boxRow {
	e := h.Evidence
	if e == nil || e.Tail == nil || e.Claim != stats.NewTasks {
		return boxRow{}
	}
	note := "up to " + number.Percent(e.Tail.Unseen) + " of new tasks could fail unnoticed; " + gainOver(r) + " would be lost if this share reached " + number.Percent(e.Tail.BreakEven)
	if r != nil {
		if all := r.BreakEven(stats.Comparison{Difference: h.Difference, MeanB: h.Score}); all > 0 {
			note += fmt.Sprintf(", the gain over v%d at about %s", r.Champion, number.Percent(all))
		}
	}
	if e.Tail.Failing > 0 {
		note = number.Plural(e.Tail.Failing, "independent task") + " failed in every run, and up to " + number.Percent(e.Tail.FailingMost) + " of new tasks could do so; " + note
	}
	if e.Tail.Worse > 0 {
		note = number.Count(e.Tail.Worse) + " of " + number.Plural(e.Tail.Tasks, "independent task") + " clearly worse; " + note
	}
	return boxRow{Label: "risk", Note: say(note)}
}

// missingWorthSaying is the smallest share of missing evaluations that the box mentions.
const missingWorthSaying = .1

// missingRows returns the row that states how many evaluations gave no score, if they are
// many. It returns nil otherwise.
func missingRows(h model.Health) []boxRow {
	made, missing := 0, 0
	for _, s := range h.Stages {
		made, missing = made+s.Done+s.Missing, missing+s.Missing
	}
	if missing == 0 || float64(missing) < missingWorthSaying*float64(made) {
		return nil
	}
	note := say(styled(number.Count(missing)+" of "+number.Plural(made, "evaluation")+" gave no score", bad))
	if len(h.Lost) > 0 && h.Lost[0].Cause != "" {
		note = append(note, say(", most often because: ", foreign(h.Lost[0].Cause))...)
	}
	return []boxRow{{Label: "missing", Note: note}}
}

// assumesRow returns the row that states what a claim about new tasks assumes about other
// nights.
func assumesRow(h model.Headline) boxRow {
	e := h.Evidence
	if e == nil || e.Night == 0 || e.Claim != stats.NewTasks {
		return boxRow{}
	}
	return boxRow{Label: "assumes", Note: say("the difference varies from night to night by " + number.Size(e.Night) + " points (standard deviation); measured in " + number.Plural(e.Nights, "night"))}
}

// openRow returns the row that names up to three candidates whose confirmation is not over.
// It is empty after an adoption, because an adoption voids the evidence against the old
// champion.
func openRow(s subject) boxRow {
	var items []spans
	more := 0
	for _, c := range s.agent.Candidates {
		switch {
		case !c.Open() || s.agent.Decision.Verdict.Proposes():
		case len(items) == maxCandidates:
			more++
		default:
			items = append(items, say(c.Variant.Name()+" "+standing(c)))
		}
	}
	if more > 0 {
		items = append(items, say(number.Count(more)+" more"))
	}
	return boxRow{Label: "goes on", Note: list(items, " · ")}
}

// maxCandidates is the maximum number of open candidates that the box names.
const maxCandidates = 3

// standing returns a description of the progress of a candidate.
func standing(c model.Candidate) string {
	words := "measured " + number.Times(c.Blocks) + " on each task, with " + number.Share(c.Share()) + " of the evidence needed"
	if c.Share() >= 1 {
		words = "measured " + number.Times(c.Blocks) + " on each task, shown to be better on these tasks but not yet on new ones"
	}
	if c.State == stats.Parked {
		words += ", parked"
	}
	return words
}

// domainLine returns a line with up to five domains, chosen from the best and the worst.
func domainLine(domains []model.Domain) spans {
	shown, rest := domains, 0
	if len(domains) > 5 {
		rest = len(domains) - 5
		shown = append(append([]model.Domain{}, domains[:2]...), domains[len(domains)-3:]...)
	}
	var items []spans
	worse, open := 0, 0
	worst := domains[0] // the worst of the open domains
	for _, d := range domains {
		switch {
		case d.Flag == "worse":
			worse++
		case d.Verdict == stats.DomainOpen:
			if open++; open == 1 || d.Difference < worst.Difference {
				worst = d
			}
		}
	}
	for i, d := range shown {
		if rest > 0 && i == 2 {
			items = append(items, say(styled("… "+number.Count(rest)+" between", dim)))
		}
		items = append(items, say(domainName(d.Domain, 24), " ", judged(d.Effect, number.Points(d.Difference))))
	}
	switch {
	case worse > 0:
		items = append(items, say(styled(number.Plural(worse, "domain")+" worse", bad)))
	case open > 0 && worst.Difference < 0:
		items = append(items, say("a loss of 10 points not ruled out in "+number.Count(open)+", the worst ", domainName(worst.Domain, 24), " "+number.Points(worst.Difference)+" points "+number.Interval(worst.Lo, worst.Hi)))
	case open > 0:
		items = append(items, say("a loss of 10 points not ruled out in "+number.Count(open)))
	default:
		items = append(items, say("none worse"))
	}
	return list(items, "   ")
}
