package batch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/mutate/night"
	"evolve/runtime/model"
)

// goodPatch is a patch within the scope, so its gates begin.
const goodPatch = "A better yes.\n\n```diff\n--- a/code/code.go\n+++ b/code/code.go\n@@ -3,2 +3,2 @@\n // Yes says yes.\n-const Yes = 1\n+const Yes = 2\n```"

// detained returns the options of a night whose model writes a good patch. The gates of the
// patch wait for another patch's gates until free is called.
func detained(t *testing.T) (o Options, m *scripted, free func()) {
	t.Helper()
	m = &scripted{says: []string{goodPatch}}
	o = writing(t, m)
	o.Patches.Cache = t.TempDir()
	other := flock.New(filepath.Join(o.Patches.Cache, "lock"))
	if ok, err := other.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	free = func() { _ = other.Close() }
	t.Cleanup(free)
	return o, m, free
}

// untouched checks what remains of a patch whose state is still drafted.
func untouched(t *testing.T, o Options, s Summary) {
	t.Helper()
	p, err := o.Archive.Proposal(t.Context(), "P1")
	if err != nil || p.State != archive.Drafted || p.Run != s.Run.ID {
		t.Fatalf("%+v %v", p, err)
	}
	for _, folder := range []string{"trees", "claims"} {
		if left, err := os.ReadDir(filepath.Join(o.Patches.Scratch, folder)); len(left) > 0 || err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("left in %s: %v %v", folder, left, err)
		}
	}
	if n := s.Run.Patches[0]; n.Proposal != "P1" || n.State != archive.Drafted || !strings.Contains(n.Text, "the gates of P1 were stopped") || !strings.Contains(n.Text, "the next run resumes it") {
		t.Errorf("%+v", n)
	}
}

// TestDeadlineStopsGates checks that running gates end when the run's time is up, and that
// the next night resumes the patch.
func TestDeadlineStopsGates(t *testing.T) {
	o, m, free := detained(t)
	o.Budget.Time = 2 * time.Second
	s, err := Run(t.Context(), o)
	if err != nil || s.Run.Exit != ExitDone || len(m.asked) != 1 {
		t.Fatalf("%+v %v, asked %d times", s.Run, err, len(m.asked))
	}
	untouched(t, o, s)
	if text := s.Run.Patches[0].Text; !strings.Contains(text, "the run's time is up") {
		t.Error(text)
	}
	free()
	o.Budget.Time = time.Hour
	if _, err = Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	takenUp(t, o)
}

// takenUp checks that the gates of the patch ran. Without a sandbox the gates refuse the
// patch.
func takenUp(t *testing.T, o Options) {
	t.Helper()
	p, err := o.Archive.Proposal(t.Context(), "P1")
	if err != nil || p.State != archive.GateFailed || p.Patch.Interrupted != 1 {
		t.Errorf("%+v %v", p, err)
	}
	if _, _, err := o.Archive.VerifyLedger(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestInterruptStopsGates checks that the first interrupt ends running gates, that
// patches that agents asked for are nevertheless recorded, and that a resumed run
// continues with both the interrupted and the recorded patches, each only once.
func TestInterruptStopsGates(t *testing.T) {
	o, m, free := detained(t)
	drain, stop := context.WithCancelCause(t.Context())
	o.Drain = drain
	o.Asked = func(_ context.Context, run string) ([]review.Submission, error) {
		return []review.Submission{{
			Target: "code", Author: "asker", Origin: review.OriginAgent, Rationale: run,
			Diff: "--- a/code/code.go\n+++ b/code/code.go\n@@ -3,2 +3,2 @@\n // Yes says yes.\n-const Yes = 1\n+const Yes = 3\n",
		}}, nil
	}
	write := m.says
	m.says = nil
	o.Writer = stopping(o, m, write, stop)
	s, err := Run(t.Context(), o)
	if err != nil || s.Run.Exit != ExitInterrupted || s.Run.State != archive.RunInterrupted {
		t.Fatalf("%+v %v", s.Run, err)
	}
	untouched(t, o, s)
	if p, err := o.Archive.Proposal(t.Context(), "P2"); err != nil || p.State != archive.Drafted || p.Patch.Author != "asker" {
		t.Errorf("what an agent asked for: %+v %v", p, err)
	}
	free()
	o.Drain, o.Resume = t.Context(), ResumeAny
	again, err := Run(t.Context(), o)
	if err != nil || again.Run.ID != s.Run.ID || again.Run.Exit != ExitDone || len(m.asked) != 1 {
		t.Fatalf("%+v %v, asked %d times", again.Run, err, len(m.asked))
	}
	takenUp(t, o)
	if p, err := o.Archive.Proposal(t.Context(), "P2"); err != nil || p.State != archive.GateFailed {
		t.Errorf("what an agent asked for: %+v %v", p, err)
	}
	if _, err := o.Archive.Proposal(t.Context(), "P3"); !errors.Is(err, archive.ErrNotFound) {
		t.Errorf("something was handed in twice: %v", err)
	}
}

// stopping returns the writer for a night that a person stops after the writer's model has
// answered.
func stopping(o Options, m *scripted, says []string, stop context.CancelCauseFunc) func(context.Context, *workspace.Agent) (model.Model, func() error, error) {
	open := o.Writer
	return func(ctx context.Context, a *workspace.Agent) (model.Model, func() error, error) {
		m.says = says
		asked, done, err := open(ctx, a)
		return asked, func() error { stop(night.ErrInterrupted); return done() }, err
	}
}

// TestCostsOfPatches checks that the costs of trials and reviews are in the run's record
// and count in the budget of a resumed run.
func TestCostsOfPatches(t *testing.T) {
	o := writing(t, &scripted{says: []string{touchesTests}})
	r, err := prepare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []review.Cost{{Run: r.run.ID, USD: .25, For: "trial"}, {Run: r.run.ID, USD: .5, For: "review"}, {Run: "another", USD: 8, For: "trial"}, {USD: 16, For: "trial"}} {
		if err := r.note(t.Context(), review.CostKind, c); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Run(t.Context(), o)
	if err != nil || s.Run.PatchUSD != .75 {
		t.Errorf("%g USD, %v", s.Run.PatchUSD, err)
	}
	r.run.Resumed = 1
	if err := r.start(t.Context()); err != nil || r.budget.Spent() < .75 {
		t.Errorf("the resumed run has spent %g: %v", r.budget.Spent(), err)
	}
}
