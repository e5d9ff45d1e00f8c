package render

import (
	"evolve/bench/stats"
	"evolve/reports/model"
	"evolve/reports/number"
)

// maxDomains is the maximum number of domains for which the table is shown unfolded. If
// there are more, the table is folded below the chart.
const maxDomains = 15

func domainBlocks(s subject) []block {
	if len(s.agent.Domains) == 0 {
		return nil
	}
	t := newTable(say("Difference by domain"), wraps("domain"), figures("tasks", against(s), "variant", "difference", "interval"), plain(""))
	for _, d := range s.agent.Domains {
		t.add(d.Flag,
			domainName(d.Domain, 60), number.Count(d.Tasks), number.Score(d.Champion), number.Score(d.Score),
			judged(d.Effect, number.Points(d.Difference)), number.Interval(d.Lo, d.Hi), flagged(d))
	}
	note := para{Note: true, Text: say("~ no significant difference. The intervals are not adjusted for the number of domains.")}
	if s.agent.Domains[0].Verdict != "" {
		note.Text = say("~ no significant difference. The intervals are for new tasks like those in the domain; they all hold simultaneously with " + number.Percent(model.PartLevel) + " confidence. " +
			"“Fine” means that a loss of 10 points is ruled out, with an error rate of .1 over all domains together (.05 for each end of an interval); “unsure” means that such a loss is not ruled out yet. Only a domain that is shown to be worse prevents a recommendation.")
	}
	if len(t.Rows) > maxDomains {
		t.Caption = say("Difference in every domain")
		return []block{forest(s), note, fold{Summary: say("all " + number.Plural(len(t.Rows), "domain") + " in figures"), Blocks: []block{t}}}
	}
	return []block{t, forest(s), note}
}

func flagged(d model.Domain) spans {
	switch {
	case d.Verdict == stats.DomainVeto:
		return say(styled("✗ worse", bad))
	case d.Flag == "worse":
		return say(styled("worse", bad))
	case d.Flag == "better":
		return say(styled("better", good))
	}
	if d.Verdict == stats.DomainOpen {
		return say("unsure")
	}
	return say(foreign(d.Verdict))
}

// domainName returns the display name of a domain, in at most n characters.
func domainName(domain string, n int) span {
	return clipped(model.DomainName(domain), n)
}
