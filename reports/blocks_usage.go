package reports

// usageBlocks are the conditions on cost and latency, and what else was consumed.
func usageBlocks(s subject) []block {
	t := table{Caption: say("Consumed per evaluation on the holdout"), Columns: []column{
		{Title: "mean", Wraps: true},
		{Title: "champion", Figures: true},
		{Title: "variant", Figures: true},
		{Title: "pair by pair", Figures: true},
		{Title: "interval", Figures: true},
		{Title: ""},
	}}
	guards := map[string]Guard{}
	for _, g := range s.agent.Guards {
		guards[g.Name] = g
	}
	for _, u := range s.agent.Usage {
		ratio, between, verdict := say(unknown), say(unknown), text(nil)
		if r := u.Ratio; r != nil {
			ratio, between = say(percents(r.Ratio)), say(ratioInterval(r.Lo, r.Hi))
		}
		if g, guarded := guards[u.Name]; guarded {
			ratio, between, verdict = say(percents(g.Ratio)), say(ratioInterval(g.Lo, g.Hi)), guardText(g)
		}
		t.Rows = append(t.Rows, row{Cells: []text{say(u.Name), say(quantity(u.Unit, u.Champion)), say(quantity(u.Unit, u.Variant)), ratio, between, verdict}})
	}
	if a, b := s.volatile.Champion, s.volatile.Variant; a != nil && b != nil {
		ratio, between, verdict := say(unknown), say(unknown), text(nil)
		if g := s.volatile.Guard; g != nil {
			ratio, between, verdict = say(percents(g.Ratio)), say(ratioInterval(g.Lo, g.Hi)), guardText(*g)
		}
		t.Rows = append(t.Rows,
			row{Cells: []text{say("latency, median"), say(duration(a.P50)), say(duration(b.P50)), ratio, between, verdict}},
			row{Cells: []text{say("latency, 95th percentile"), say(duration(a.P95)), say(duration(b.P95)), say(unknown), say(unknown), nil}})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	note := "Described, not tested: these figures took no part in the verdict."
	if len(s.agent.Guards) > 0 || s.volatile.Guard != nil {
		note = "Pair by pair: the geometric mean of the ratios, each between ¼ and 4, with its " + percent(partLevel) +
			" interval, valid at any stop. Where a bound is named it must be proven before anything is recommended; not to be significantly worse is no proof. The other rows took no part in the verdict."
	}
	return []block{t, para{Text: say(note), Note: true}}
}

// guardText says how a guard stands, and what it demands.
func guardText(g Guard) text { return say(guardMark(g), " at most "+percents(g.Most)) }

func quantity(unit string, x float64) string {
	switch unit {
	case "usd":
		return money(x)
	case "share":
		return percent(x)
	case "tokens":
		return count(int(x + .5))
	}
	return signless(x)
}

func signless(x float64) string {
	s := signed(x, 1)
	if len(s) > 0 && s[0] == '+' {
		return s[1:]
	}
	return s
}
