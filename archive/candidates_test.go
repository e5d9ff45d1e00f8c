package archive

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// entrant returns a candidate in the form in which a run enters it.
func entrant(variant, run string) Candidate {
	return Candidate{
		Agent: "solver", Variant: agent.ConfigID(variant), Champion: "aa", Run: run, Time: day,
		Holds: "h<1>", Alpha: .05 / 12, Projected: 120, Runs: []string{run},
	}
}

func contractCandidates(t *testing.T, p pairOf) {
	ctx := context.Background()
	if got := collect(t, p.r.Candidates(ctx, "solver")); len(got) != 0 {
		t.Fatalf("before anything was entered: %+v", got)
	}
	enter := func(c Candidate) Candidate {
		t.Helper()
		return must(p.w.EnterCandidate(ctx, c))(t)
	}
	// The candidates are listed in order of entry, which differs from the order of the
	// variants and from that of the run ids.
	var want []Candidate
	for i, c := range []Candidate{entrant("ff", "9-x"), entrant("bb", "9-x"), entrant("bb", "10-a")} {
		c.State, c.Void = stats.Proven, "whatever the caller thinks"
		got := enter(c)
		c.Number, c.Ledger, c.State, c.Void = i+1, int64(i+1), stats.Open, ""
		if diff := cmp.Diff(c, got); diff != "" {
			t.Errorf("entry %d: %s", i+1, diff)
		}
		want = append(want, got)
	}
	other := entrant("ff", "9-x")
	other.Agent = "other"
	if got := enter(other); got.Number != 1 {
		t.Errorf("another agent's first candidate is number %d", got.Number)
	}

	// A variant enters a run only once: a resumed run gets the stored entry.
	first := want[0]
	first.Blocks, first.LogE, first.Runs = 4, 2.5, []string{"9-x", "10-a"}
	if err := p.w.PutCandidate(ctx, first, day); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, enter(entrant("ff", "9-x"))); diff != "" {
		t.Errorf("entered twice: %s", diff)
	}
	if n, _, err := p.r.LedgerHead(ctx); n != 4 || err != nil {
		t.Errorf("four entries and a change that is none leave %d ledger entries (%v)", n, err)
	}

	// The ledger records every change of state, and nothing else.
	later := day.Add(time.Hour)
	for _, state := range []stats.State{stats.Parked, stats.Open, stats.HereOnly} {
		first.State = state
		for range 2 {
			if err := p.w.PutCandidate(ctx, first, later); err != nil {
				t.Fatalf("%s: %v", state, err)
			}
		}
	}
	want[0] = first
	second := want[1]
	second.Void = "the champion changed"
	if err := p.w.PutCandidate(ctx, second, later); err != nil {
		t.Fatal(err)
	}
	want[1] = second
	if diff := cmp.Diff(want, collect(t, p.r.Candidates(ctx, "solver"))); diff != "" {
		t.Error(diff)
	}
	var kinds, subjects []string
	for _, e := range collect(t, p.r.Ledger(ctx, 4)) {
		kinds, subjects = append(kinds, e.Kind), append(subjects, e.Subject)
	}
	if diff := cmp.Diff([]string{"confirm.enter", "confirm.end", "confirm.end", "confirm.end", "confirm.end"}, kinds); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"other/1", "solver/1", "solver/1", "solver/1", "solver/2"}, subjects); diff != "" {
		t.Error(diff)
	}

	refused := func(name string, c Candidate) {
		t.Helper()
		if err := p.w.PutCandidate(ctx, c, later); err == nil {
			t.Errorf("%s was stored", name)
		}
	}
	first.State = stats.Open
	refused("a place that was freed and taken again", first)
	second.Void = ""
	refused("evidence that was void and is none any more", second)
	third := want[2]
	for name, spoil := range map[string]func(*Candidate){
		"another variant":   func(c *Candidate) { c.Variant = "cc" },
		"another champion":  func(c *Candidate) { c.Champion = "cc" },
		"another level":     func(c *Candidate) { c.Alpha *= 2 },
		"an earlier time":   func(c *Candidate) { c.Time = c.Time.Add(-time.Hour) },
		"other tasks":       func(c *Candidate) { c.Holds = "h2" },
		"another run":       func(c *Candidate) { c.Run = "9-x" },
		"a number too high": func(c *Candidate) { c.Number = 4 },
		"an unknown state":  func(c *Candidate) { c.State = "won" },
	} {
		c := third
		spoil(&c)
		refused(name, c)
	}
	for name, spoil := range map[string]func(*Candidate){
		"without agent": func(c *Candidate) { c.Agent = "" },
		"the champion":  func(c *Candidate) { c.Variant = c.Champion },
		"no level":      func(c *Candidate) { c.Alpha = 0 },
		"no run":        func(c *Candidate) { c.Run = "" },
	} {
		c := entrant("dd", "11-b")
		spoil(&c)
		if _, err := p.w.EnterCandidate(ctx, c); err == nil {
			t.Errorf("%s was entered", name)
		}
	}
	if n, _, err := p.r.VerifyLedger(ctx); n != 8 || err != nil {
		t.Errorf("the ledger has %d entries (%v)", n, err)
	}
	if err := p.r.Check(ctx); err != nil {
		t.Error(err)
	}
}
