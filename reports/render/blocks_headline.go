package render

import (
	"fmt"
	"slices"

	"evolve/bench/stats"
	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/runtime/text"
)

// headlineBlocks returns the comparison on which the verdict rests.
func headlineBlocks(s subject) []block {
	h := s.agent.Headline
	if h == nil {
		return nil
	}
	name := h.Variant.Name()
	if n := len(s.agent.Finalists); !s.agent.Decision.Verdict.Proposes() && n > 1 {
		name += ", the best of " + number.Plural(n, "finalist")
	}
	f := metricFacts(s, *h)
	f = append(f, facts{
		{against(s) + " → variant", say(number.Score(h.Champion)+" → "+number.Score(h.Score), remark(s.agent.Decision.BaseName()+" → "+name))},
		{"paired difference", say(judged(h.Effect, number.Points(h.Difference)+" points"), "  "+h.Bounds(), remark(h.About()))},
	}...)
	f.add("waiting proposal", number.Signs(text.Visible(s.agent.Decision.Reference.Gain())))
	size := say(number.Plural(h.Tasks, "task") + ", " + number.Times(h.Repeats) + " each")
	if e := h.Evidence; e != nil {
		f = append(f, evidenceFacts(*h)...)
		f.add("missing data", missingData(*e, against(s), s.agent.Health.Lost))
		if e.Failures != nil {
			f = append(f, failureFact(*e.Failures, against(s)))
		}
		if e.Tail != nil {
			f = append(f, tailFacts(*e, h.Tasks, s.agent.Decision.Reference)...)
		}
		if e.Night > 0 {
			f.add("nights", number.Count(e.Nights), remark("the interval for new tasks assumes that the difference varies from night to night by "+number.Size(e.Night)+" points (standard deviation)"))
		}
		if e.Tail != nil && e.Tail.Tasks < h.Tasks {
			size = append(size, remark(independent(*e)+", because variations of one task count as one"))
		}
		if len(e.Runs) > 1 {
			size = append(size, remark("in "+number.Plural(len(e.Runs), "night")))
		}
	}
	f = append(f,
		fact{"measured on", size},
		fact{"wins / losses / ties", say(number.Count(h.Wins)+" / "+number.Count(h.Losses)+" / "+number.Count(h.Ties), remark("of "+number.Plural(h.Tasks, "task")+", however small the difference"))},
		fact{"smallest detectable", say(detectable(h.Planned, "before"), ", ", detectable(h.Detectable, "after"), remark("at 80 % power"))},
		fact{"in the search", say(number.Points(h.Search)+" points", remark(curse(*h)))},
	)
	out := append([]block{f}, furtherBlocks(h.Further)...)
	if h.Evidence != nil && !h.Evidence.Fixed {
		out = append(out, para{Note: true, Text: say("“Better on these tasks” is exact for any number of tasks. “Better on new tasks like these” also takes the spread between tasks into account; a recommendation rests on it. The difference of an adopted variant is measured at a moment that favours the variant: in simulations, the difference was too high by about 1 to 3 points on average, and by 3 to 12 with few tasks or when proven in a single night.")})
	}
	if len(s.agent.Finalists) > 1 {
		out = append(out, finalistTable(s.agent.Finalists))
	}
	return out
}

// metricFacts returns the facts about the difference in the metric; it returns nothing if
// there is no metric.
func metricFacts(s subject, h model.Headline) facts {
	g := h.Metric
	if g == nil {
		return nil
	}
	f := facts{
		{"metric", say(foreign(g.Title()), ", "+string(g.Better)+" is better")},
		{against(s) + " → variant", say(foreign(g.Values()), remark("means of "+g.Size()))},
		{"paired difference", append(judgedGain(g, foreign(g.Change())), say("  "+g.Bounds(), remark(metricAbout(g)))...)},
		{"cases", say(number.Count(g.Gains) + " better, " + number.Count(g.Losses) + " worse, " + number.Count(g.Ties) + " equal")},
	}
	f.add("but", foreign(h.Discord))
	base := "which scores .500"
	if s.agent.Health.ValueNoise != nil {
		base += " except for random variation"
	}
	return append(f, fact{"score", say("relative to the current code, " + base + "; the verdict is based on the score")})
}

// metricAbout returns a description of what the interval of a gain covers.
func metricAbout(g *stats.Gain) string {
	if g.Same {
		return "no interval: all cases changed by the same amount; without a spread, only the number of cases shows anything about new ones"
	}
	if g.Interval == nil {
		return "no interval: too few cases, or groups of cases, to show anything about new ones"
	}
	return number.Percent(g.Level) + " interval for new cases like these, by Student's t, and never narrower than the score's interval"
}

// against returns the column heading for the side against which a variant was measured.
func against(s subject) string {
	if s.agent.Decision.Against != nil {
		return "waiting proposal"
	}
	return "champion"
}

// evidenceFacts returns the facts that a sequential ruling adds to a difference: the
// interval that the claim does not rest on, with its own label.
func evidenceFacts(h model.Headline) facts {
	switch e := h.Evidence; {
	case h.Of == stats.TheseTasks:
		return facts{{"on new tasks", say(number.Interval(e.New.Lo, e.New.Hi), remark(number.Percent(h.Level)+" interval for new tasks like these"))}}
	case e.Fixed:
		return facts{{"on these tasks", say(number.Points(h.Difference)+" points", remark("exact, because a repeat would give the same score"))}}
	default:
		return facts{{"on these tasks", say(number.Interval(e.These.Lo, e.These.Hi), remark(number.Percent(h.Level)+" interval for these tasks, valid at any stopping time; not part of the claim"))}}
	}
}

// missingData returns a description of the evaluations in the comparison that lack a score
// on one side, with the most frequent cause of missing data in the run.
func missingData(e model.Evidence, against string, causes []model.Lost) spans {
	if e.MissingChampion+e.MissingVariant == 0 {
		return nil
	}
	treated := "missing on one side only; left out of the comparison, which is more cautious than counting them as failed"
	if e.MissingCounted {
		treated = "missing on one side only; counted as failed"
	}
	value := say(against+" "+number.Count(e.MissingChampion)+" → variant "+number.Count(e.MissingVariant)+" evaluations", remark(treated))
	if len(causes) > 0 {
		value = append(value, say("; mostly: ", foreign(causes[0].Cause))...)
	}
	return value
}

// failureFact returns the fact with the numbers of tasks and evaluations that each side
// failed; against is the name of the side other than the variant.
func failureFact(f stats.Failures, against string) fact {
	runs := number.Count(f.ChampionRuns) + " → " + number.Count(f.VariantRuns) + " of " + number.Plural(f.Runs, "evaluation") + " crashed, timed out or broke the contract"
	if f.Only > 0 {
		runs += "; on " + number.Plural(f.Only, "task") + " only the variant did, which happens on at most " + number.Percent(f.OnlyMost) + " of new tasks, with 95 % confidence"
	}
	return fact{"failures", say(against+" "+number.Count(f.Champion)+" of "+number.Plural(f.Tasks, "task")+" → variant "+number.Count(f.Variant)+" of "+number.Count(f.Tasks),
		remark(runs+"; each failure scores 0, and its pair does not count for the guards, because consuming less by failing is not a saving"))}
}

// independent returns the number of independent tasks, and, if their weights are uneven,
// the number of equally weighted tasks that they are worth.
func independent(e model.Evidence) string {
	words := number.Plural(e.Tail.Tasks, "independent task")
	if e.Effective > 0 {
		words += fmt.Sprintf(" (which count as %.1f by weight)", e.Effective)
	}
	return words
}

// tailFacts returns the facts about the risks that the mean over the given number of tasks
// does not show.
func tailFacts(e model.Evidence, tasks int, r *stats.Reference) facts {
	t := *e.Tail
	together := ""
	if t.Tasks < tasks {
		together = "variations of a task counted as one; "
	}
	unseen := "of a kind that is not among these " + independent(e)
	if t.BreakEven > 0 {
		unseen += "; " + gainOver(r) + " would be lost if this share reached " + number.Percent(t.BreakEven)
	}
	out := facts{{"clearly worse", say(number.Count(t.Worse)+" of "+number.Plural(t.Tasks, "independent task"), remark(together+"at most "+number.Percent(t.WorseMost)+" of new tasks are just as clearly worse in the same number of runs, with 95 % confidence"))}}
	if t.Failing > 0 {
		out = append(out, fact{"failed in every run", say(number.Count(t.Failing)+" of "+number.Plural(t.Tasks, "independent task"), remark("but not in every run with the other config; at most "+number.Percent(t.FailingMost)+" of new tasks fail in this way, with 95 % confidence"))})
	}
	return append(out, fact{"unseen failures", say("up to "+number.Percent(t.Unseen)+" of new tasks", remark(unseen))})
}

// gainOver returns a phrase that refers to the gain over the reference, for use in a
// sentence.
func gainOver(r *stats.Reference) string {
	if r == nil {
		return "the gain"
	}
	return "the gain over " + text.Visible(r.Proposal)
}

// finalistTable returns a table of all finalists in the confirmation.
func finalistTable(list []model.Finalist) table {
	evidenceTitle := "evidence"
	if list[0].Evidence == nil {
		evidenceTitle = "adjusted p"
	}
	t := newTable(say("Finalists on the holdout"), plain("variant"), figures("score", "difference", "interval", evidenceTitle), wraps("finding"))
	if list[0].Metric != nil {
		t.Columns = slices.Insert(t.Columns, 1, figures("metric", "change")...)
	}
	for _, f := range list {
		evidence, mark := number.PValue(f.Adjusted), ""
		if f.Evidence != nil {
			evidence = number.Share(f.Evidence.Share())
		}
		if f.Accepted {
			mark = "better"
		}
		cells := []any{f.Variant.Name()}
		if list[0].Metric != nil {
			cells = append(cells, metricCells(f.Metric)...)
		}
		t.add(mark, append(cells, number.Score(f.Score), judged(f.Effect, number.Points(f.Difference)), finalistInterval(f.Effect), evidence, f.Finding)...)
	}
	return t
}

// metricCells returns the table cells for a finalist's difference in the metric.
func metricCells(g *stats.Gain) []any {
	if g == nil {
		return []any{number.Unknown, number.Unknown}
	}
	return []any{say(foreign(g.Values())), append(judgedGain(g, foreign(g.Change())), say(" "+g.Bounds())...)}
}

// finalistInterval formats a finalist's interval, and marks it if it does not apply to new
// tasks.
func finalistInterval(e model.Effect) spans {
	if e.Of == stats.TheseTasks {
		return say(e.Bounds() + " these tasks")
	}
	return say(number.Interval(e.Lo, e.Hi))
}

// detectable formats a smallest detectable difference. Values ≤ 0, and values ≥ 1 (1 is the
// whole scale), mean that no difference is detectable.
func detectable(d float64, when string) string {
	if d <= 0 || d >= 1 {
		return when + " none"
	}
	return when + " " + number.Size(d) + " points"
}

// curse returns a description of how much of the search's gain was selection bias.
func curse(h model.Headline) string {
	switch c := h.Curse; {
	case c > .0005 && h.Evidence != nil && h.Evidence.MissingCounted:
		return number.Size(c) + " of it did not hold up (winner's curse, or missing data, which the search leaves out and the holdout counts)"
	case c > .0005:
		return number.Size(c) + " of it did not hold up (winner's curse)"
	case c < -.0005:
		return "the holdout shows " + number.Size(c) + " more"
	}
	return "all of it held up"
}
