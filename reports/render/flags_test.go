package render

import (
	"io"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/reports/model"
)

// TestFlagsAreInTheBox checks that every rendering repeats the flags of gates next to the
// decision, in escaped and shortened form, and repeats nothing from the gates that
// passed.
func TestFlagsAreInTheBox(t *testing.T) {
	t.Parallel()
	r := adoptWorld(t, 0).report()
	r.Agents[0].Decision.Proposals[0].Gates = []archive.GateVerdict{
		{Gate: "apply", Verdict: "passed", Evidence: "1 file"},
		{Gate: "program: canary", Verdict: "flagged", Evidence: "no text\x1b[2J is noticed " + strings.Repeat("in blocks ", 100)},
		{Gate: "mutants", Verdict: "flagged", Evidence: "a change passes"},
	}
	for name, render := range map[string]func(io.Writer, model.Report) error{
		"text": func(w io.Writer, r model.Report) error { return Box(w, r, TerminalOptions{Width: 400}) },
		"page": HTML, "markdown": Markdown,
	} {
		got := rendered(t, render, r)
		for _, after := range []string{"## Decision", "Conditions for a recommendation"} {
			got, _, _ = strings.Cut(got, after) // the decision box precedes these headings
		}
		for _, want := range []string{"flagged", "program: canary: no text", "mutants: a change passes"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in\n%s", name, want, got)
			}
		}
		if strings.Contains(got, "\x1b[2J") || strings.Contains(got, "apply") || strings.Count(got, "in blocks") > 15 {
			t.Errorf("%s: the box is\n%s", name, got)
		}
	}
}
