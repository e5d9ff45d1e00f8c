package render

import (
	"slices"
	"strings"

	"evolve/reports/model"
	"evolve/reports/number"
)

// decisionBlocks returns the blocks below the box: each condition with what was observed.
func decisionBlocks(s subject) []block {
	d := s.agent.Decision
	var out []block
	if d.Verdict.Proposes() {
		out = append(out, para{Text: say(foreign(d.Sentence), ".")})
	}
	conditions := d.Thresholds
	if g := s.volatile.Guard; g != nil {
		at := slices.IndexFunc(conditions, func(c model.Threshold) bool { return c.Unit == "domains" })
		if at < 0 {
			at = len(conditions)
		}
		conditions = slices.Insert(slices.Clone(conditions), at, g.Threshold(s.agent.Decision))
	}
	if len(conditions) > 0 {
		t := table{Caption: say("Conditions for a recommendation"), Columns: []column{
			{Title: "condition", Wraps: true},
			{Title: "observed", Figures: true},
			{Title: "required", Figures: true},
			{Title: "margin", Figures: true},
			{Title: ""},
		}}
		for _, c := range conditions {
			verdict := styled("✓", good)
			switch {
			case c.Open:
				verdict = span{Text: "~ open"}
			case !c.Met:
				verdict = styled("✗", bad)
			}
			t.Rows = append(t.Rows, row{Cells: []spans{
				say(c.Name), say(unitText(c.Unit, c.Observed)), say(c.Sign + " " + unitText(c.Unit, c.Required)),
				say(marginText(c)), say(verdict),
			}})
		}
		out = append(out, t)
		if h := s.agent.Headline; h != nil && h.Evidence != nil {
			out = append(out, para{Note: true, Text: say(boundNote(*h))})
		}
	}
	for i, p := range d.Proposals {
		line := say("Proposal ", theirs(p.ID, strong), " is ", foreign(strings.ReplaceAll(string(p.State), "_", " ")))
		if i < len(s.volatile.Proposals) {
			if by := s.volatile.Proposals[i].Decision; by != nil {
				line = append(line, say(": ", foreign(by.Action), " by ", clipped(by.By, 80))...)
				if !by.Time.IsZero() {
					line = append(line, say(" on "+number.Time(by.Time))...)
				}
				if by.Reason != "" {
					line = append(line, say(", “", clipped(by.Reason, model.MaxReason), "”")...)
				}
			}
		}
		out = append(out, para{Text: append(line, say(".")...)})
		if i < len(s.volatile.Proposals) {
			for _, a := range s.volatile.Proposals[i].Addressed {
				out = append(out, para{Text: say("Look twice: ", foreign(a), ".")})
			}
		}
		if len(p.Gates) > 0 {
			out = append(out, gateTable(p.ID, p.Gates))
		}
	}
	return out
}

// boundNote explains how the bound of the conditions differs from the interval in the
// box.
func boundNote(h model.Headline) string {
	words := "The lower bound is stricter than the " + number.Percent(h.Level) + " interval: it holds at the level of an entry, of which a month allows several."
	if !h.Evidence.Fixed {
		words = "Evidence is a natural logarithm. " + words
	}
	return words
}

// gateTable returns a table of the gates' verdicts on a proposal.
func gateTable(id string, list []model.GateVerdict) table {
	t := table{Caption: say("Gates of ", foreign(id)), Columns: []column{{Title: "gate", Wraps: true}, {Title: "verdict"}, {Title: "evidence", Wraps: true}}}
	for _, g := range list {
		st := bad
		switch g.Verdict {
		case "passed":
			st = good
		case "not_run":
			st = dim
		}
		t.Rows = append(t.Rows, row{Cells: []spans{say(foreign(g.Gate)), say(theirs(clipped(g.Verdict, 20).Text, st)), say(clipped(g.Evidence, model.MaxReason))}})
	}
	return t
}

func unitText(unit string, x float64) string {
	switch unit {
	case "p":
		return number.PValue(x)
	case "points":
		return number.Points(x)
	case "log_e":
		return logText(x)
	case "ratio":
		return number.Change(x)
	}
	return number.Count(int(x))
}

func marginText(t model.Threshold) string {
	switch t.Unit {
	case "p":
		return strings.Replace(number.Signed(t.Margin, 4), "0.", ".", 1)
	case "points":
		return number.Points(t.Margin)
	case "log_e":
		return number.Signed(t.Margin, 2)
	case "ratio":
		return number.Signed(100*t.Margin, 0)
	}
	return number.Signed(t.Margin, 0)
}

// logText formats the logarithm of evidence.
func logText(x float64) string { return strings.TrimPrefix(number.Signed(x, 2), "+") }
