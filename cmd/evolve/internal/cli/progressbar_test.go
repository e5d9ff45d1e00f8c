package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"evolve/mutate/night"
	"evolve/runtime/text"
)

// TestBarLine checks the labels of a bar at several widths: the stage, the number done
// out of the number planned, the time left, and then whatever fits.
func TestBarLine(t *testing.T) {
	began := time.Date(2026, 11, 28, 22, 0, 0, 0, time.UTC)
	b := barState{
		now:  night.Progress{Agent: "clerk", Stage: "search", Done: 300, Planned: 1000, SpentUSD: 1.25},
		best: "best .725 [.687, .763]", began: began, already: 100,
	}
	for _, c := range []struct {
		width int
		want  string
	}{
		{120, "clerk search  [=======-------------------]  300 of 1,000 evaluations  3 m 30 s left  $1.25 spent  best .725 [.687, .763]"},
		{80, "clerk search  [===-------]  300 of 1,000 evaluations  3 m 30 s left  $1.25 spent"},
		{60, "clerk search  300 of 1,000 evaluations  3 m 30 s left"},
		{40, "clerk search  300 of 1,000 evaluations"},
		{30, "clerk search  300 of 1000"},
		{20, "clerk search  300 of"},
	} {
		got := b.line(c.width, began.Add(time.Minute))
		if got != c.want || text.Width(got) > c.width {
			t.Errorf("at %d cells it is %q (%d), want %q", c.width, got, text.Width(got), c.want)
		}
	}
	for name, at := range map[string]barState{
		"at the start": {now: night.Progress{Done: 100, Planned: 1000}, began: began, already: 100},
		"at the end":   {now: night.Progress{Done: 1000, Planned: 1000}, began: began, already: 100},
	} {
		if got := at.left(began.Add(time.Minute)); got != "" {
			t.Errorf("%s there are %s", name, got)
		}
	}
}

// TestMessagesAboveBars checks that a message is printed above the bars while they are
// drawn, and to the stream itself afterwards. A message after ^C must first end the line
// with the echoed ^C, but only if there are no bars.
func TestMessagesAboveBars(t *testing.T) {
	var file, bars bytes.Buffer
	out := &foldWriter{file: &file, tty: true, width: 40}
	con := &console{stderr: out}
	con.eprintf("%sbefore\n", belowEcho(out))
	out.drawAbove(&bars)
	con.eprintf("%sstopping: %s\n", belowEcho(out), strings.Repeat("word ", 8))
	out.drawAbove(nil)
	con.eprintf("after\n")
	if got, want := file.String(), "\nbefore\nafter\n"; got != want {
		t.Errorf("the stream has %q, want %q", got, want)
	}
	if got, want := bars.String(), "stopping: word word word word word word\n  word word\n"; got != want {
		t.Errorf("above the bars there is %q, want %q", got, want)
	}
}
