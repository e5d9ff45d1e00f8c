package render

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/reports/model"
	"evolve/runtime/agent"
	"evolve/runtime/experience"
)

// toolNotes returns notes on tools that together cover every remedy and every origin of a
// tool.
func toolNotes(agentID string) []archive.ToolNote {
	day := time.Date(2026, 11, 14, 2, 0, 0, 0, time.UTC)
	note := func(tool, origin string, remedy experience.Remedy, reason string) archive.ToolNote {
		return archive.ToolNote{Agent: agentID, Origin: origin, Advice: experience.Advice{Tool: tool, Remedy: remedy, Reason: reason, Calls: 30, Judged: 28, Succeeded: 12, Referrals: 9, Weak: 4, Invalid: 3}}
	}
	split := note("convert", "authored", experience.Split, "its referrals fall into 2 groups")
	split.Clusters = []experience.Cluster{{Axes: []string{"currency", "live rates"}, Referrals: 5, Share: .5, Group: true, First: day, Last: day.AddDate(0, 0, 3)}, {Axes: []string{"noise"}, Referrals: 1}}
	split.Signatures = []experience.Signature{
		{Tool: "convert", Domain: "ops", Outcome: agent.Execution, Message: `no unit "…"`, Count: 7, First: day, Last: day},
		{Tool: "convert", Domain: "ops", Outcome: agent.Timeout, Message: "once only", Count: 1, First: day, Last: day},
	}
	split.Champion = []experience.Signature{{Tool: "convert", Domain: "ops", Outcome: agent.LowUtility, Message: "too coarse", Count: 3, First: day, Last: day}}
	split.Draft = &archive.ToolDraft{Text: "a new version passes its 5 tests", Proposal: "P7", State: archive.Awaiting, Usage: agent.Usage{CostUSD: .25}}
	return []archive.ToolNote{
		note("grep", "local", experience.Retain, "28 of 28 judged calls succeeded"), split,
		note("mcp_shop_find", "mcp:shop", experience.Recompose, "4 of 28 judged calls ended in low_utility"),
		note("file_summary", "local", experience.Tighten, "its referrals name the same axes"),
	}
}

// withTools returns a report whose first agent has notes on tools.
func withTools(t *testing.T) model.Report {
	w := adoptWorld(t, 0)
	w.run.Tools = toolNotes(w.run.Agents[0])
	w.must(w.a.PutRun(w.ctx, w.run))
	return w.report()
}

// TestToolsInUse tests that each rendering shows the advice with its evidence, what follows
// for each kind of builder, and the command that shows more. Tools to change come first.
func TestToolsInUse(t *testing.T) {
	r := withTools(t)
	if got := r.Volatile.Agents[0].Tools; len(got) != 4 || got[0].Tool != "convert" || got[3].Tool != "grep" {
		t.Fatalf("%+v", got)
	}
	if r.Volatile.ToolUSD != .25 {
		t.Errorf("$%g for tools", r.Volatile.ToolUSD)
	}
	wants := []string{
		"Tools in use", "convert", "split", "its referrals fall into 2 groups", "12 of 28", "P7", "a new version passes its 5 tests",
		"for the developer of the server", "shop", "for the developer of the program", "left as it is", "boundary axes named in referrals", "currency, live rates", "50 %", "17 Nov 2026",
		"identical failures, counted together", "execution", "no unit", "evaluations", "too coarse", "evolve tools health",
	}
	for name, render := range map[string]func(io.Writer, model.Report) error{
		"terminal": func(w io.Writer, r model.Report) error { return Terminal(w, r, TerminalOptions{Width: 200}) },
		"Markdown": Markdown, "HTML": HTML,
	} {
		got := strings.Join(strings.Fields(rendered(t, render, r)), " ")
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
		if strings.Contains(got, "once only") || strings.Contains(got, "noise") {
			t.Errorf("%s lists a failure that occurred once, or a cluster that is no group", name)
		}
	}
	page := rendered(t, HTML, r)
	for _, caption := range []string{"What to do with each tool", "Boundary axes named in referrals, by group", "Identical failures, counted together"} {
		if !strings.Contains(page, "<caption>"+caption) && !strings.Contains(page, caption+", ") {
			t.Errorf("a table of the page has no caption %q", caption)
		}
	}
	var b bytes.Buffer
	if err := JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	var back model.Report
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || back.Volatile.Agents[0].Tools[0].Remedy != experience.Split {
		t.Errorf("JSON: %v", err)
	}
	if plain := rendered(t, HTML, adoptWorld(t, 0).report()); strings.Contains(plain, "Tools in use") {
		t.Error("the section is there without tools in use")
	}
}

// TestHostileTools tests that the names, reasons and messages of tools are rendered only as
// text.
func TestHostileTools(t *testing.T) {
	r := small(withTools(t))
	plain := baseline(t, r, "word")
	for _, s := range hostile {
		plain.check(t, r, s)
	}
}
