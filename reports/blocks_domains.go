package reports

import "evolve/bench/stats"

// domainsListed is the maximum number of domains in the table; the picture shows more.
const domainsListed = 15

func domainBlocks(s subject) []block {
	if len(s.agent.Domains) == 0 {
		return nil
	}
	t := table{Caption: say("Difference by domain"), Columns: []column{
		{Title: "domain", Wraps: true},
		{Title: "tasks", Figures: true},
		{Title: against(s), Figures: true},
		{Title: "variant", Figures: true},
		{Title: "difference", Figures: true},
		{Title: "interval", Figures: true},
		{Title: ""},
	}}
	for _, d := range s.agent.Domains {
		r := row{Mark: d.Flag, Cells: []text{
			say(foreign(clip(d.Domain, 60))), say(count(d.Tasks)), say(score(d.Champion)), say(score(d.Score)),
			judged(d.Effect, points(d.Difference)), say(interval(d.Lo, d.Hi)), flagged(d),
		}}
		t.Rows = append(t.Rows, r)
	}
	note := para{Note: true, Text: say("~ no significant difference. The intervals are not adjusted for the number of domains.")}
	if s.agent.Domains[0].Verdict != "" {
		note.Text = say("~ no significant difference. Intervals for new tasks like those of the domain; all of them hold together with " + percent(partLevel) + " confidence. " +
			"Fine: a loss of 10 points is ruled out; open: it is not yet. Only a domain that is shown to be worse stands against a recommendation.")
	}
	if len(t.Rows) > domainsListed {
		t.Caption = say("Difference in every domain")
		return []block{picture{forest(s)}, note, fold{Summary: say("all " + some(len(t.Rows), "domain") + " in figures"), Blocks: []block{t}}}
	}
	return []block{t, picture{forest(s)}, note}
}

func flagged(d Domain) text {
	switch {
	case d.Verdict == stats.DomainVeto:
		return say(styled("✗ worse", bad))
	case d.Flag == "worse":
		return say(styled("worse", bad))
	case d.Flag == "better":
		return say(styled("better", good))
	}
	return say(foreign(d.Verdict))
}
