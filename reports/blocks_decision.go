package reports

import (
	"strings"

	"evolve/archive"
)

// decisionBlocks is what stands under the box: each condition with what was seen.
func decisionBlocks(s subject) []block {
	d := s.agent.Decision
	var out []block
	if d.Verdict == archive.Adopt {
		out = append(out, para{Text: say(foreign(d.Sentence), ".")})
	}
	if len(d.Thresholds) > 0 {
		t := table{Caption: say("Conditions for a recommendation"), Columns: []column{
			{Title: "condition", Wraps: true},
			{Title: "observed", Figures: true},
			{Title: "required", Figures: true},
			{Title: "margin", Figures: true},
			{Title: ""},
		}}
		for _, c := range d.Thresholds {
			verdict := styled("✓", good)
			if !c.Met {
				verdict = styled("✗", bad)
			}
			t.Rows = append(t.Rows, row{Cells: []text{
				say(c.Name), say(unitText(c.Unit, c.Observed)), say(c.Sign + " " + unitText(c.Unit, c.Required)),
				say(marginText(c)), say(verdict),
			}})
		}
		out = append(out, t)
	}
	for i, p := range d.Proposals {
		line := say("Proposal ", theirs(p.ID, strong), " is ", foreign(strings.ReplaceAll(string(p.State), "_", " ")))
		if i < len(s.volatile.Proposals) {
			if by := s.volatile.Proposals[i].Decision; by != nil {
				line = append(line, say(": ", foreign(by.Action), " by ", foreign(clip(by.By, 80)))...)
				if !by.Time.IsZero() {
					line = append(line, say(" on "+moment(by.Time))...)
				}
				if by.Reason != "" {
					line = append(line, say(", “", foreign(clip(by.Reason, reasonKept)), "”")...)
				}
			}
		}
		out = append(out, para{Text: append(line, say(".")...)})
		if len(p.Gates) > 0 {
			t := table{Caption: say("Gates of ", foreign(p.ID)), Columns: []column{{Title: "gate", Wraps: true}, {Title: "verdict"}, {Title: "evidence", Wraps: true}}}
			for _, g := range p.Gates {
				st := bad
				switch g.Verdict {
				case "passed":
					st = good
				case "not_run":
					st = dim
				}
				t.Rows = append(t.Rows, row{Cells: []text{say(foreign(g.Gate)), say(theirs(clip(g.Verdict, 20), st)), say(foreign(clip(g.Evidence, reasonKept)))}})
			}
			out = append(out, t)
		}
	}
	return out
}

func unitText(unit string, x float64) string {
	switch unit {
	case "p":
		return pvalue(x)
	case "points":
		return points(x)
	}
	return count(int(x))
}

func marginText(t Threshold) string {
	switch t.Unit {
	case "p":
		return strings.Replace(signed(t.Margin, 4), "0.", ".", 1)
	case "points":
		return points(t.Margin)
	}
	return signed(t.Margin, 0)
}

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
	out := []block{facts{
		{"champion → variant", say(score(h.Champion)+" → "+score(h.Score), remark(s.agent.Decision.Champion.Name()+" → "+name))},
		{"paired difference", say(judged(h.Effect, points(h.Difference)+" points"), "  "+interval(h.Lo, h.Hi), remark(percent(h.Level)+" interval"))},
		{"tasks × repeats", say(count(h.Tasks) + " × " + count(h.Repeats))},
		{"wins / losses / ties", say(count(h.Wins) + " / " + count(h.Losses) + " / " + count(h.Ties))},
		{"smallest detectable", say(detectable(h.Planned, "before"), ", ", detectable(h.Detectable, "after"), remark("at 80 % power"))},
		{"in the search", say(points(h.Search)+" points", remark(curse(h.Curse)))},
	}}
	if len(s.agent.Finalists) > 1 {
		t := table{Caption: say("Finalists on the holdout"), Columns: []column{
			{Title: "variant"},
			{Title: "score", Figures: true},
			{Title: "difference", Figures: true},
			{Title: "interval", Figures: true},
			{Title: "adjusted p", Figures: true},
			{Title: "finding", Wraps: true},
		}}
		for _, f := range s.agent.Finalists {
			r := row{Cells: []text{say(f.Variant.Name()), say(score(f.Score)), judged(f.Effect, points(f.Difference)), say(interval(f.Lo, f.Hi)), say(pvalue(f.Adjusted)), say(f.Finding)}}
			if f.Accepted {
				r.Mark = "better"
			}
			t.Rows = append(t.Rows, r)
		}
		out = append(out, t)
	}
	return out
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

func percent(x float64) string { return number(float64(int(x*1000+.5))/10) + " %" }
