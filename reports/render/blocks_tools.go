package render

import (
	"strings"

	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/runtime/experience"
)

// Limits on the tables of tools: numbers of rows, and of characters in names and texts.
const (
	maxTools      = 12
	maxSignatures = 12
	toolName      = 40
	toolText      = 200
)

// toolBlocks shows what live turns revealed about the agent's tools, and what the builders
// of the tools should do.
func toolBlocks(s subject) []block {
	notes := s.volatile.Tools
	if len(notes) == 0 {
		return nil
	}
	advice := newTable(say("What to do with each tool"), plain("tool", "advice"), figures("calls", "ok", "referred"), wraps("why", "what follows"))
	for _, n := range model.First(notes, maxTools) {
		advice.add("", clipped(n.Tool, toolName), stateSpan(string(n.Remedy)), number.Count(n.Calls), number.Count(n.Succeeded)+" of "+number.Count(n.Judged),
			number.Count(n.Referrals), clipped(n.Reason, toolText), follows(n))
	}
	out := []block{advice}
	if more := len(notes) - maxTools; more > 0 {
		out = append(out, para{Note: true, Text: say(number.Plural(more, "more tool") + " not listed.")})
	}
	if t := axesTable(notes); len(t.Rows) > 0 {
		out = append(out, fold{Summary: say("boundary axes named in referrals"), Blocks: []block{t}})
	}
	if t := signatureTable(notes); len(t.Rows) > 0 {
		out = append(out, fold{Summary: say("identical failures, counted together"), Blocks: []block{t}})
	}
	words := "From the live turns recorded before the run. A referral with evidence does not lower a tool's rank. For figures by method and domain: "
	return append(out, para{Note: true, Text: say(words, theirs("evolve tools health "+s.agent.Agent, command))})
}

// follows returns a description of what the advice on a tool leads to.
func follows(n model.ToolNote) spans {
	switch {
	case n.Draft != nil && n.Draft.Proposal != "":
		return say(foreign(n.Draft.Proposal), " (", foreign(n.Draft.State.Name()), "): ", clipped(n.Draft.Text, model.MaxReason))
	case n.Draft != nil:
		return say(clipped(n.Draft.Text, model.MaxReason))
	case n.Remedy == experience.Retain:
		return say("left as it is")
	}
	if server, ok := strings.CutPrefix(n.Origin, "mcp:"); ok {
		return say("for the developer of the server ", clipped(server, toolName))
	}
	if n.Origin == "authored" {
		return say("for the agent that wrote it")
	}
	return say("for the developer of the program that provides it")
}

// axesTable returns a table of the groups of boundary axes for the tools that should be
// changed.
func axesTable(notes []model.ToolNote) table {
	t := newTable(say("Boundary axes named in referrals, by group"), plain("tool"), wraps("axes"), figures("referrals", "share"), plain("first", "last"))
	for _, n := range notes {
		for _, c := range n.Clusters {
			if !c.Group || n.Remedy == experience.Retain || len(t.Rows) == maxTools {
				continue
			}
			t.add("", clipped(n.Tool, toolName), clipped(strings.Join(c.Axes, ", "), toolText), number.Count(c.Referrals), number.Percent(c.Share), number.Date(c.First), number.Date(c.Last))
		}
	}
	return t
}

// signatureTable returns a table of the failures that occurred more than once, with equal
// failures counted together.
func signatureTable(notes []model.ToolNote) table {
	t := newTable(say("Identical failures, counted together"), plain("tool", "method", "domain", "seen in", "outcome"), figures("times"), plain("first", "last"), wraps("message"))
	add := func(list []experience.Signature, in string) {
		for _, f := range list {
			if f.Count < 2 || len(t.Rows) == maxSignatures {
				continue
			}
			t.add("", clipped(f.Tool, toolName), clipped(f.Method, toolName), clipped(f.Domain, toolName), in, stateSpan(string(f.Outcome)),
				number.Count(f.Count), number.Date(f.First), number.Date(f.Last), clipped(f.Message, toolText))
		}
	}
	for _, n := range notes {
		add(n.Signatures, "use")
		add(n.Champion, "evaluations")
	}
	return t
}
