package reports

import "evolve/bench/stats"

// headlineBlocks returns the comparison that the verdict rests on.
func headlineBlocks(s subject) []block {
	h := s.agent.Headline
	if h == nil {
		return nil
	}
	name := h.Variant.Name()
	if n := len(s.agent.Finalists); !s.agent.Decision.Verdict.Proposes() && n > 1 {
		name += ", the best of " + some(n, "finalist")
	}
	f := facts{
		{against(s) + " → variant", say(score(h.Champion)+" → "+score(h.Score), remark(s.agent.Decision.rival()+" → "+name))},
		{"paired difference", say(judged(h.Effect, points(h.Difference)+" points"), "  "+h.bounds(), remark(h.about()))},
	}
	unit := "repeats"
	if gain := s.agent.Decision.Reference.Gain(); gain != "" {
		f = append(f, fact{"what waits", say(signs(Visible(gain)))})
	}
	if e := h.Evidence; e != nil {
		f = append(f, evidenceFacts(*h)...)
		unit = "blocks"
	}
	if e := h.Evidence; e != nil && e.Failures != nil {
		f = append(f, failureFact(*e.Failures, against(s)))
	}
	if e := h.Evidence; e != nil && e.Tail != nil {
		f = append(f, tailFacts(*e.Tail, s.agent.Decision.Reference)...)
	}
	if e := h.Evidence; e != nil && e.Night > 0 {
		f = append(f, fact{"nights", say(count(e.Nights), remark("the interval for new tasks assumes that a night shifts such a difference by "+size(e.Night)+" points (standard deviation)"))})
	}
	size := say(count(h.Tasks) + " × " + count(h.Repeats))
	if e := h.Evidence; e != nil && len(e.Runs) > 1 {
		size = append(size, remark("in "+some(len(e.Runs), "night")))
	}
	f = append(f,
		fact{"tasks × " + unit, size},
		fact{"wins / losses / ties", say(count(h.Wins) + " / " + count(h.Losses) + " / " + count(h.Ties))},
		fact{"smallest detectable", say(detectable(h.Planned, "before"), ", ", detectable(h.Detectable, "after"), remark("at 80 % power"))},
		fact{"in the search", say(points(h.Search)+" points", remark(curse(h.Curse)))},
	)
	out := []block{f}
	if h.Evidence != nil && !h.Evidence.Fixed {
		out = append(out, para{Note: true, Text: say("Better on these tasks is exact for any number of them; better on new tasks like these needs the spread between tasks too, and is what a recommendation rests on. The difference of what is adopted is measured at a moment that favours it: in simulations it was too high by about 1 to 3 points on average, and by 3 to 12 with few tasks or when proven in a single night.")})
	}
	if len(s.agent.Finalists) > 1 {
		out = append(out, finalistTable(s.agent.Finalists))
	}
	return out
}

// against returns the column heading of the side that a variant was measured against.
func against(s subject) string {
	if s.agent.Decision.Against != nil {
		return "what waits"
	}
	return "champion"
}

// evidenceFacts returns what a sequential ruling adds to a difference: the interval that
// the claim does not rest on, with its own label.
func evidenceFacts(h Headline) facts {
	switch e := h.Evidence; {
	case e.Fixed && h.Of == stats.TheseTasks:
		return facts{{"on new tasks", say(interval(e.New.Lo, e.New.Hi), remark(percent(h.Level)+" interval for new tasks like these"))}}
	case e.Fixed:
		return facts{{"on these tasks", say(points(h.Difference)+" points", remark("known, as a repeat would say the same"))}}
	case h.Of == stats.TheseTasks:
		return facts{{"on new tasks", say(interval(e.New.Lo, e.New.Hi), remark(percent(h.Level)+" interval for new tasks like these"))}}
	default:
		return facts{{"on these tasks", say(interval(e.These.Lo, e.These.Hi), remark(percent(h.Level)+" interval for these tasks, valid at any stop; no part of the claim"))}}
	}
}

// failureFact returns the numbers of tasks and evaluations that each side failed; against
// names the side that is not the variant.
func failureFact(f stats.Failures, against string) fact {
	runs := count(f.ChampionRuns) + " → " + count(f.VariantRuns) + " of " + some(f.Runs, "evaluation") + " crashed, timed out or broke the contract"
	if f.Only > 0 {
		runs += "; on " + some(f.Only, "task") + " only the variant did, at most " + percent(f.OnlyMost) + " of new ones at an error of .05"
	}
	return fact{"failures", say(against+" "+count(f.Champion)+" of "+some(f.Tasks, "task")+" → variant "+count(f.Variant)+" of "+count(f.Tasks),
		remark(runs+"; each scores 0, and what one consumed less than the other side's answer is no saving: its pair is left out of the guards"))}
}

// tailFacts returns the risks that the mean does not show.
func tailFacts(t stats.Tail, r *stats.Reference) facts {
	gain := "the gain"
	if r != nil {
		gain = "the gain over " + Visible(r.Proposal)
	}
	unseen := "of a kind that none of these " + count(t.Tasks) + " is"
	if t.BreakEven > 0 {
		unseen += "; " + gain + " would be gone if " + percent(t.BreakEven) + " did"
	}
	out := facts{{"clearly worse", say(some(t.Worse, "task"), remark("at most "+percent(t.WorseMost)+" of new ones show it as clearly in as many runs, at an error of .05"))}}
	if t.Failing > 0 {
		out = append(out, fact{"failed in every run", say(some(t.Failing, "task"), remark("and not in every run of the other side; at most "+percent(t.FailingMost)+" of new ones may be such, at an error of .05"))})
	}
	return append(out, fact{"unseen failures", say("up to "+percent(t.Unseen)+" of new tasks", remark(unseen))})
}

// finalistTable returns a table of all confirmed finalists.
func finalistTable(list []Finalist) table {
	t := table{Caption: say("Finalists on the holdout"), Columns: []column{
		{Title: "variant"},
		{Title: "score", Figures: true},
		{Title: "difference", Figures: true},
		{Title: "interval", Figures: true},
		{Title: "evidence", Figures: true},
		{Title: "finding", Wraps: true},
	}}
	if list[0].Evidence == nil {
		t.Columns[4].Title = "adjusted p"
	}
	for _, f := range list {
		evidence := say(pvalue(f.Adjusted))
		if f.Evidence != nil {
			evidence = say(share(f.Evidence.Share()))
		}
		r := row{Cells: []text{say(f.Variant.Name()), say(score(f.Score)), judged(f.Effect, points(f.Difference)), finalistInterval(f.Effect), evidence, say(f.Finding)}}
		if f.Accepted {
			r.Mark = "better"
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}

// finalistInterval formats the interval of a finalist and marks it if it is not about new
// tasks.
func finalistInterval(e Effect) text {
	if e.Of == stats.TheseTasks {
		return say(e.bounds() + " these tasks")
	}
	return say(interval(e.Lo, e.Hi))
}

// detectable formats a smallest detectable difference. Values ≤ 0 and ≥ 1, the whole
// scale, mean that there is none.
func detectable(d float64, when string) string {
	if d <= 0 || d >= 1 {
		return when + " none"
	}
	return when + " " + size(d) + " points"
}

// curse describes how much of the search's gain was selection bias.
func curse(c float64) string {
	switch {
	case c > .0005:
		return size(c) + " of it did not hold up (winner's curse)"
	case c < -.0005:
		return "the holdout shows " + size(c) + " more"
	}
	return "all of it held up"
}

// percent formats a share or level with at most one decimal, or two if it would round to
// 100 %.
func percent(x float64) string {
	s := number(float64(int(x*1000+.5)) / 10)
	if s == "100" && x < 1 {
		s = number(float64(int(x*10000)) / 100)
	}
	return s + " %"
}
