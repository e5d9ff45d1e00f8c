package reports

import (
	"strconv"

	"evolve/archive"
	"evolve/bench/stats"
)

// guardRows are the lines of cost and latency.
func guardRows(s subject) []boxRow {
	var out []boxRow
	add := func(g Guard, values text) {
		out = append(out, boxRow{
			Label:   g.Name,
			Figures: []text{values, say(percents(g.Ratio)), say(ratioInterval(g.Lo, g.Hi))},
			Note:    guardText(g),
		})
	}
	for _, g := range s.agent.Guards {
		var values text
		for _, u := range s.agent.Usage {
			if u.Name == g.Name {
				values = say(quantity(u.Unit, u.Champion) + " → " + quantity(u.Unit, u.Variant))
			}
		}
		add(g, values)
	}
	if g := s.volatile.Guard; g != nil {
		var values text
		if a, b := s.volatile.Champion, s.volatile.Variant; a != nil && b != nil {
			values = say(duration(a.P50) + " → " + duration(b.P50))
		}
		add(*g, values)
	}
	return out
}

// guardMark says how a guard stands, in a sign or a word.
func guardMark(g Guard) span {
	switch g.Verdict {
	case stats.GuardPassed:
		return styled("✓", good)
	case stats.GuardFailed:
		return styled("✗", bad)
	}
	return span{Text: "open:"}
}

// openRow names up to three candidates whose confirmation is not at its end. An adoption
// voids what was shown against the old champion, so that nothing goes on after one.
func openRow(s subject) boxRow {
	var items []text
	more := 0
	for _, c := range s.agent.Candidates {
		switch {
		case !c.Open() || s.agent.Decision.Verdict == archive.Adopt:
		case len(items) == candidatesNamed:
			more++
		default:
			items = append(items, say(c.Variant.Name()+" "+standing(c)))
		}
	}
	if more > 0 {
		items = append(items, say(count(more)+" more"))
	}
	return boxRow{Label: "open", Note: list(items, " · ")}
}

// candidatesNamed is how many open candidates the box names.
const candidatesNamed = 3

// standing says how far a candidate has come.
func standing(c Candidate) string {
	words := "after " + some(c.Blocks, "block") + ", " + share(c.Share()) + " of the evidence"
	if c.State == stats.Parked {
		words += ", parked"
	}
	return words
}

// share writes a part of a whole in per cent: what is not all of it is never 100 %.
func share(x float64) string {
	return strconv.Itoa(int(100*x)) + " %"
}

// domainLine names up to five domains, the best and the worst.
func domainLine(domains []Domain) text {
	shown, rest := domains, 0
	if len(domains) > 5 {
		rest = len(domains) - 5
		shown = append(append([]Domain{}, domains[:2]...), domains[len(domains)-3:]...)
	}
	var items []text
	worse, open := 0, 0
	for _, d := range domains {
		switch {
		case d.Flag == "worse":
			worse++
		case d.Verdict == stats.DomainOpen:
			open++
		}
	}
	for i, d := range shown {
		if rest > 0 && i == 2 {
			items = append(items, say(styled("… "+count(rest)+" between", dim)))
		}
		items = append(items, say(foreign(clip(d.Domain, 24)), " ", judged(d.Effect, signed(100*d.Difference, 0))))
	}
	switch {
	case worse > 0:
		items = append(items, say(styled(some(worse, "domain")+" worse", bad)))
	case open > 0:
		items = append(items, say(count(open)+" open"))
	default:
		items = append(items, say("none worse"))
	}
	return list(items, "   ")
}
