package archive

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"evolve/bench"
	"evolve/runtime/agent"
)

// TestImportIsHistory checks that nothing imported awaits a decision, is resumed, stands in
// for an evaluation of this archive, or counts as evidence here.
func TestImportIsHistory(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	from := OpenMemory()
	closing(t, from)
	states := []ProposalState{Drafted, Gated, Awaiting, HumanLane, GateFailed, Approved, Adopted, RolledBack, Rejected, Expired, Superseded}
	for _, s := range states {
		must(from.NewProposal(ctx, ProposalRecord{Kind: KindConfig, State: s}))(t)
	}
	e := evaluation("1-a", 0)
	err := errors.Join(
		from.PutRun(ctx, Run{ID: "1-a", Number: 1, State: RunInterrupted}), from.Record(ctx, e, nil), from.Flush(ctx),
	)
	if err != nil {
		t.Fatal(err)
	}
	must(from.EnterCandidate(ctx, entrant("bb", "1-a")))(t)
	to := OpenMemory()
	closing(t, to)
	text := exported(t, from)
	if err := to.Import(ctx, strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	n := 0
	for p, err := range to.Proposals(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		want := states[n]
		if n++; n <= 6 {
			want = Drafted
		}
		if p.State != want || p.Imported != states[n-1] {
			t.Errorf("%s was %s and is %s, imported as %s", p.ID, states[n-1], p.State, p.Imported)
		}
	}
	if r := must(to.Run(ctx, "1-a"))(t); r.State != RunDone || !r.Imported {
		t.Errorf("the run is %s", r.State)
	}
	for c, err := range to.Candidates(ctx, "solver") {
		if err != nil || c.Void == "" {
			t.Errorf("candidate %+v %v", c, err)
		}
	}
	// The same evaluation made here is new and has its own score.
	if _, found, err := to.Cached(ctx, e.Key); found || err != nil {
		t.Errorf("found by its key: %v %v", found, err)
	}
	e.Run, e.Score = "2-b", .25
	if err := errors.Join(to.Record(ctx, e, nil), to.Flush(ctx)); err != nil {
		t.Fatal(err)
	}
	if got, _, err := to.Cached(ctx, e.Key); err != nil || got.Score != .25 {
		t.Errorf("%+v %v", got, err)
	}
	told, seq, err := to.ImportOf(ctx)
	if err != nil || told.Drafts != 5 || seq != 2 || len(told.SHA256) != 64 || told.Entries != 1 {
		t.Errorf("%+v %d %v", told, seq, err)
	}
	if err := to.Check(ctx); err != nil {
		t.Error(err)
	}
	if _, _, err := to.VerifyLedger(ctx); err != nil {
		t.Error(err)
	}
}

// TestImportOfRunsToCome checks that an export cannot add evaluations, plans or results of
// a run that the export does not contain.
func TestImportOfRunsToCome(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, fill := range map[string]func(*Archive) error{
		"an evaluation": func(a *Archive) error {
			e := bench.Evaluation{Run: "2-b", Agent: "solver", Key: "k", Variant: agent.ConfigID("v"), Scored: true}
			return errors.Join(a.Record(ctx, e, nil), a.Flush(ctx))
		},
		"a plan":   func(a *Archive) error { return a.PutPlan(ctx, AgentPlan{Run: "2-b", Agent: "solver"}) },
		"a result": func(a *Archive) error { return a.PutResult(ctx, AgentResult{Run: "2-b", Agent: "solver"}) },
	} {
		a := OpenMemory()
		closing(t, a)
		if err := fill(a); err != nil {
			t.Fatal(err)
		}
		to := OpenMemory()
		closing(t, to)
		if err := to.Import(ctx, strings.NewReader(exported(t, a))); err == nil || !strings.Contains(err.Error(), `no run "2-b"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestImportOfNumbers checks that a record whose number is near the end of its type, which
// leaves no number for the next record, is refused with the record's name, both by an
// import and by a restore.
func TestImportOfNumbers(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	huge := Run{ID: "1-a", Number: math.MaxInt64, State: RunDone}
	a := OpenMemory()
	closing(t, a)
	if err := a.PutRun(ctx, huge); err != nil {
		t.Fatal(err)
	}
	to := OpenMemory()
	closing(t, to)
	if err := to.Import(ctx, strings.NewReader(exported(t, a))); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "run 1-a") {
		t.Errorf("import: %v", err)
	}
	var out bytes.Buffer
	must(a.Backup(ctx, &out))(t)
	if _, err := Restore(ctx, t.TempDir(), &out, Building{}); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "run 1-a") {
		t.Errorf("restore: %v", err)
	}
	for _, kind := range []string{lineProposal, lineTurn, lineRequest} {
		id := map[string]string{lineProposal: "P", lineTurn: "T", lineRequest: "R"}[kind]
		from := OpenMemory()
		closing(t, from)
		filled(t, from)
		lines := strings.SplitAfter(exported(t, from), "\n")
		line := strings.Replace(lineOf(t, lines, kind), `"id":"`+id+`1"`, `"id":"`+id+`9223372036854775807"`, 1)
		to := OpenMemory()
		closing(t, to)
		if err := to.Import(ctx, strings.NewReader(lines[0]+line)); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), id+"9223372036854775807") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
