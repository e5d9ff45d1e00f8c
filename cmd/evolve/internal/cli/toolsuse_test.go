package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/experience"
	"evolve/runtime/text"
)

// TestToolUseFitsTheTerminal tests that no line is longer than the terminal is wide, and
// that nothing is left out if the table does not fit.
func TestToolUseFitsTheTerminal(t *testing.T) {
	var e experience.Experience
	for i := range 8 {
		axes := []string{"charts of many currencies", "calendar days"}[i%2]
		e.Learn(experience.Turn{ID: "T1", Domain: "research", Time: time.Date(2026, 3, 1, i, 0, 0, 0, time.UTC), Calls: []experience.Call{
			{Tool: "web__price_feed", Method: "get_price", Outcome: agent.WrongToolBoundary, Axes: []string{axes}},
			{Tool: "web__lookup", Outcome: agent.Execution, Cause: "the server does not answer within its time " + strings.Repeat("é", 9)},
		}})
	}
	var views []toolUseView
	for _, name := range e.Tools() {
		v := toolUseView{Advice: e.Advice(name), Signatures: e.SignaturesOf(name)}
		for _, c := range e.Capsules {
			if c.Tool == name {
				v.Capsules = append(v.Capsules, capsuleViewOf(&e, c))
			}
		}
		views = append(views, v)
	}
	words := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	for _, width := range []int{40, 80, 100, 200, 0} {
		var out bytes.Buffer
		con := &console{stdout: &out}
		if width > 0 {
			con.stdout = &foldWriter{file: &out, width: width}
		}
		printToolUse(con, views, width)
		if hasTable := strings.HasPrefix(out.String(), "tool "); hasTable != (width == 0 || width == 200) {
			t.Errorf("width %d:\n%s", width, out.String())
		}
		for line := range strings.Lines(out.String()) {
			if n := text.Width(strings.TrimRight(line, "\n")); width > 0 && n > width {
				t.Errorf("width %d, a line of %d: %s", width, n, line)
			}
		}
		for _, want := range []string{"web__price_feed", "get_price", "split: its referrals fall into 2 groups", `"charts of many currencies" (4)`, "execution the server does not answer within its time", "research"} {
			if !strings.Contains(words(out.String()), want) {
				t.Errorf("width %d lacks %s:\n%s", width, want, out.String())
			}
		}
	}
}
