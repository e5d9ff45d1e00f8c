package reports

import "evolve/archive"

// headlineBlocks is the comparison that the verdict rests on.
func headlineBlocks(s subject) []block {
	h := s.agent.Headline
	if h == nil {
		return nil
	}
	name := h.Variant.Name()
	if n := len(s.agent.Finalists); s.agent.Decision.Verdict != archive.Adopt && n > 1 {
		name += ", the best of " + some(n, "finalist")
	}
	f := facts{
		{"champion → variant", say(score(h.Champion)+" → "+score(h.Score), remark(s.agent.Decision.Champion.Name()+" → "+name))},
		{"paired difference", say(judged(h.Effect, points(h.Difference)+" points"), "  "+interval(h.Lo, h.Hi), remark(intervalWords(*h)))},
	}
	unit := "repeats"
	if e := h.Evidence; e != nil {
		f = append(f, evidenceFacts(*e, h.Level)...)
		unit = "blocks"
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
		out = append(out, para{Note: true, Text: say("Better on these tasks is exact for any number of them; better on new tasks like these needs the spread between tasks too, and is what a recommendation rests on.")})
	}
	if len(s.agent.Finalists) > 1 {
		out = append(out, finalistTable(s.agent.Finalists))
	}
	return out
}

// intervalWords say what the headline's interval is.
func intervalWords(h Headline) string {
	words := percent(h.Level) + " interval"
	switch e := h.Evidence; {
	case e != nil && e.Fixed:
		words += " for new tasks; known on these, as a repeat would say the same"
	case e != nil:
		words += ", valid at any stop"
	}
	return words
}

// evidenceFacts are what a sequential ruling adds to a difference; that of a fixed agent
// is about new tasks as it stands.
func evidenceFacts(e Evidence, level float64) facts {
	month := fact{"over this month", say(interval(e.Month.Lo, e.Month.Hi), remark(percent(e.MonthLevel)+" interval, valid over everything that was confirmed in it"))}
	guess := fact{"shrunken estimate", say(points(e.Shrunken)+" points", remark("pulled towards 0; possibly still optimistic"))}
	if e.Fixed {
		return facts{month, guess}
	}
	return facts{
		month,
		{"on new tasks", say(interval(e.New.Lo, e.New.Hi), remark(percent(level)+" interval for tasks like these"))},
		guess,
	}
}

// finalistTable sets all that was confirmed side by side.
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
		r := row{Cells: []text{say(f.Variant.Name()), say(score(f.Score)), judged(f.Effect, points(f.Difference)), say(interval(f.Lo, f.Hi)), evidence, say(f.Finding)}}
		if f.Accepted {
			r.Mark = "better"
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}

// detectable says a smallest difference; 0 and everything from the whole scale on
// stand for none.
func detectable(d float64, when string) string {
	if d <= 0 || d >= 1 {
		return when + " none"
	}
	return when + " " + size(d) + " points"
}

// curse says how much of the search's gain was luck of the pick.
func curse(c float64) string {
	switch {
	case c > .0005:
		return size(c) + " of it did not hold up (winner's curse)"
	case c < -.0005:
		return "the holdout shows " + size(c) + " more"
	}
	return "all of it held up"
}

// percent writes a share or level with at most one decimal, two where one would say all.
func percent(x float64) string {
	s := number(float64(int(x*1000+.5)) / 10)
	if s == "100" && x < 1 {
		s = number(float64(int(x*10000)) / 100)
	}
	return s + " %"
}
