package reports

// honestyBlocks is the line that says what was tried to find what is claimed.
func honestyBlocks(s subject) []block {
	h := s.agent.Honesty
	line := say(styled(some(h.Variants, "variant"), strong), " tried in ", styled(some(h.Evaluations, "evaluation"), strong), " on search tasks")
	if h.Confirmations > 0 {
		line = append(line, say(", ", styled(some(h.Confirmations, "finalist"), strong), " confirmed on the holdout")...)
	}
	if h.Exhausted {
		line = append(line, say("; nothing was left to try")...)
	}
	out := []block{para{Text: append(line, say(".")...)}}
	var f facts
	if h.Method != "" {
		f = append(f, fact{"error control", say(h.Method)}, fact{"level", say(pvalue(h.ErrorRate), remark("for this run's verdict; runs are not added up"))})
	}
	switch {
	case h.Opened > 0:
		f = append(f, fact{"holdout opened", say(some(h.Opened, "time"), remark("for "+some(h.Confirmed, "variant")+" in all; each opening wears it a little"))})
	default:
		f = append(f, fact{"holdout opened", say("never")})
	}
	if r := h.Baseline; r != nil {
		value := say(score(r.Score)+"  ["+score(r.Lo)+", "+score(r.Hi)+"]", remark("after "+some(r.Evaluations, "evaluation")))
		f = append(f, fact{"best of random", value})
		if r.Known {
			f = append(f, fact{"search at equal spend", say(score(r.Search), remark(points(r.Search-r.Score)+" points against random"))})
		}
	}
	out = append(out, f)
	if c := curve(s); c != nil {
		out = append(out, picture{c})
	}
	return out
}

// usageBlocks describes cost; latency stands in the volatile part of the report.
func usageBlocks(s subject) []block {
	t := table{Caption: say("Consumed per evaluation on the holdout"), Columns: []column{
		{Title: "mean", Wraps: true}, {Title: "champion", Figures: true}, {Title: "variant", Figures: true}, {Title: "change", Figures: true},
	}}
	for _, u := range s.agent.Usage {
		t.Rows = append(t.Rows, row{Cells: []text{say(u.Name), say(quantity(u.Unit, u.Champion)), say(quantity(u.Unit, u.Variant)), say(change(u.Champion, u.Variant))}})
	}
	if a, b := s.volatile.Champion, s.volatile.Variant; a != nil && b != nil {
		for _, l := range []struct {
			name string
			a, b float64
		}{{"latency, median", a.P50, b.P50}, {"latency, 95th percentile", a.P95, b.P95}} {
			t.Rows = append(t.Rows, row{Cells: []text{say(l.name), say(duration(l.a)), say(duration(l.b)), say(change(l.a, l.b))}})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []block{t, para{Text: say("Described, not tested: these figures took no part in the verdict."), Note: true}}
}

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

// change is the ratio of two means as a percentage.
func change(a, b float64) string {
	if a == 0 {
		return unknown
	}
	return signed(100*(b/a-1), 0) + " %"
}

// domainsListed is how many domains are set out in figures at once; the picture shows more.
const domainsListed = 15

func domainBlocks(s subject) []block {
	if len(s.agent.Domains) == 0 {
		return nil
	}
	t := table{Caption: say("Difference by domain"), Columns: []column{
		{Title: "domain", Wraps: true},
		{Title: "tasks", Figures: true},
		{Title: "champion", Figures: true},
		{Title: "variant", Figures: true},
		{Title: "difference", Figures: true},
		{Title: "interval", Figures: true},
		{Title: ""},
	}}
	for _, d := range s.agent.Domains {
		r := row{Mark: d.Flag, Cells: []text{
			say(foreign(clip(d.Domain, 60))), say(count(d.Tasks)), say(score(d.Champion)), say(score(d.Score)),
			judged(d.Effect, points(d.Difference)), say(interval(d.Lo, d.Hi)), flagged(d.Flag),
		}}
		t.Rows = append(t.Rows, r)
	}
	note := para{Note: true, Text: say("~ no significant difference. The intervals are not adjusted for the number of domains.")}
	if len(t.Rows) > domainsListed {
		t.Caption = say("Difference in every domain")
		return []block{picture{forest(s)}, note, fold{Summary: say("all " + some(len(t.Rows), "domain") + " in figures"), Blocks: []block{t}}}
	}
	return []block{t, picture{forest(s)}, note}
}

func flagged(f string) text {
	switch f {
	case "better":
		return say(styled("better", good))
	case "worse":
		return say(styled("worse", bad))
	}
	return nil
}
