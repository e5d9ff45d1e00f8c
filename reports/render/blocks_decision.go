package render

import (
	"math"
	"slices"
	"strings"

	"evolve/reports/model"
	"evolve/reports/number"
)

// decisionBlocks returns the blocks that follow the decision box: each condition with the
// observed value, and the proposals with their gates.
func decisionBlocks(s subject) []block {
	d := s.agent.Decision
	var out []block
	if d.Verdict.Proposes() {
		out = append(out, para{Text: say(foreign(d.Sentence), ".")})
	}
	if list := conditions(s); len(list) > 0 {
		out = append(out, conditionTable(list))
		if h := s.agent.Headline; h != nil && h.Evidence != nil {
			out = append(out, para{Note: true, Text: say(boundNote(*h))})
		}
	}
	for i, p := range d.Proposals {
		var v model.VolatileProposal
		if i < len(s.volatile.Proposals) {
			v = s.volatile.Proposals[i]
		}
		out = append(out, proposalLine(p, v))
		for _, a := range v.Addressed {
			out = append(out, para{Text: say("Look twice: ", foreign(a), ".")})
		}
		if len(p.Gates) > 0 {
			out = append(out, gateBlocks(p.ID, p.Gates)...)
		}
	}
	return out
}

// conditions returns the thresholds of the verdict, with the threshold on latency inserted
// before those on domains.
func conditions(s subject) []model.Threshold {
	list := s.agent.Decision.Thresholds
	if s.volatile.Guard == nil || !s.volatile.Guard.Measured() {
		return list
	}
	at := slices.IndexFunc(list, func(c model.Threshold) bool { return c.Unit == "domains" })
	if at < 0 {
		at = len(list)
	}
	return slices.Insert(slices.Clone(list), at, s.volatile.Guard.Threshold(s.agent.Decision))
}

func conditionTable(list []model.Threshold) table {
	t := newTable(say("Conditions for a recommendation"), wraps("condition"), figures("observed", "required", "margin"), plain(""))
	for _, c := range list {
		verdict := styled("✓", good)
		switch {
		case c.Open:
			verdict = span{Text: "~ unsure"}
		case !c.Met:
			verdict = styled("✗", bad)
		}
		t.add("", c.Name, unitText(c.Unit, c.Observed), c.Sign+" "+unitText(c.Unit, c.Required), marginText(c), verdict)
	}
	return t
}

// proposalLine returns a line with the state of a proposal, and the decision on it or the
// reason why it waits.
func proposalLine(p model.Proposal, v model.VolatileProposal) block {
	line := say("Proposal ", theirs(p.ID, strong), " is ", foreign(p.State.Name()))
	if p.InQueue() {
		line = say("Proposal ", theirs(p.ID, strong), " awaits a decision")
	}
	if v.Waits != "" {
		line = append(line, say(" yet: ", clipped(v.Waits, model.MaxReason), "; the next run runs its gates")...)
	}
	if by := v.Decision; by != nil {
		line = append(line, say(": ", foreign(by.Action), " by ", clipped(by.By, 80))...)
		if !by.Time.IsZero() {
			line = append(line, say(" on "+number.Time(by.Time))...)
		}
		if by.Reason != "" {
			line = append(line, say(", “", clipped(by.Reason, model.MaxReason), "”")...)
		}
	}
	return para{Text: append(line, say(".")...)}
}

// boundNote returns a note on how the bound in the table of conditions differs from the
// interval in the decision box.
func boundNote(h model.Headline) string {
	alpha := math.Exp(-h.Evidence.Required)
	words := "The lower bound is stricter than the " + number.Percent(h.Level) + " interval: its error rate is at most "
	if h.Evidence.Fixed {
		words += number.PValue(alpha) + ", the level of one confirmation"
	} else {
		words = "Evidence is given as its natural logarithm. " + words + number.PValue(alpha/2) + ", half the level of one confirmation (" + number.PValue(alpha) + ")"
	}
	return words + ". The level is strict because several confirmations are allowed in a month."
}

// gateBlocks returns the gates' verdicts on a proposal. If there are few gates, each is
// listed. Otherwise they are shown by group, with each gate that did not pass, and a fold
// lists all of them.
func gateBlocks(id string, list []model.GateVerdict) []block {
	all := gateTable(id, list)
	if len(list) <= model.MaxSingleGates {
		return []block{all}
	}
	t := newTable(say("Gates of ", foreign(id), ", by group"), wraps("gates"), plain("verdict"), wraps("evidence"))
	for _, g := range model.GateGroups(list) {
		words := styled(g.Words(), good)
		if len(g.Rest) > 0 {
			words.Style = bad
		}
		t.add("", styled(g.Name, strong), words, "")
		for _, r := range g.Rest {
			t.Rows = append(t.Rows, gateRow(r))
		}
	}
	note := say("What each gate checked: ", theirs("evolve show "+id+" --all", command), ".")
	return []block{t, para{Note: true, Text: note}, fold{Summary: say("all " + number.Count(len(list)) + " gates with their evidence"), Blocks: []block{all}, PageOnly: true}}
}

// gateTable returns a table of the gates' verdicts on a proposal.
func gateTable(id string, list []model.GateVerdict) table {
	t := newTable(say("Gates of ", foreign(id)), wraps("gate"), plain("verdict"), wraps("evidence"))
	for _, g := range list {
		t.Rows = append(t.Rows, gateRow(g))
	}
	return t
}

func gateRow(g model.GateVerdict) row {
	st := bad
	switch g.Verdict {
	case "passed":
		st = good
	case "not_run":
		st = dim
	}
	return row{Cells: []spans{say(foreign(g.Gate)), say(theirs(strings.ReplaceAll(clipped(g.Verdict, 20).Text, "_", " "), st)), say(clipped(g.Evidence, model.MaxReason))}}
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
