//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
)

// reasonOf returns the reason that a run states when the given signal stops it.
func reasonOf(s syscall.Signal) string {
	if s == syscall.SIGTERM {
		return "the system or another program ended it (SIGTERM)"
	}
	return "a person stopped it"
}

// TestInterrupts stops runs with signals. Finished work must be preserved, a report must be
// written, and the resumed run must give the same report as an undisturbed run.
func TestInterrupts(t *testing.T) {
	t.Parallel()
	want := kinds[0].undisturbed(t)
	for name, signal := range map[string]syscall.Signal{
		"interrupt": syscall.SIGINT,
		"terminate": syscall.SIGTERM,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := starter(t)
			seen := p.interrupt(want.evaluations/4, signal)
			p.stopped(seen, signal)
			p.do(0, p.night("--resume")...)
			p.intact([]mark{p.mark(seen)}, want)
		})
	}
}

// interrupt starts a run, sends it a signal once a reader has seen the given number of
// evaluations, and returns what the reader has seen. The run must end as interrupted.
func (p place) interrupt(after int, signal syscall.Signal) view {
	t := p.t
	t.Helper()
	pr := p.start(p.night()...)
	if !p.holds(pr) {
		t.Fatalf("the run ended: %+v", pr.wait())
	}
	var seen view
	if !pr.until(func() bool {
		v, err := p.look()
		seen = v
		return err == nil && len(v.evaluations) >= after
	}) {
		t.Fatalf("the run ended before it could be interrupted: %+v", pr.wait())
	}
	pr.signal(signal)
	r := pr.wait()
	if r.code != 130 {
		t.Fatalf("exit %d\nstdout: %s\nstderr: %s", r.code, r.stdout, r.stderr)
	}
	if o := decodeOutcome(t, r); o.Exit != 130 || o.Agents[0].Verdict != archive.Undecided {
		t.Errorf("the interrupted run says %+v", o)
	}
	return seen
}

// stopped checks the state after a run that a signal interrupted.
func (p place) stopped(seen view, by syscall.Signal) {
	t := p.t
	t.Helper()
	after := p.mustLook()
	if gone := lost(seen, after); len(gone) > 0 {
		t.Errorf("the interrupt lost %v", gone)
	}
	if after.run.State != archive.RunInterrupted || after.run.Exit != 130 {
		t.Errorf("the run is %s with exit %d", after.run.State, after.run.Exit)
	}
	if want := reasonOf(by); after.run.Reason != want {
		t.Errorf("the run ended because %q, want %q", after.run.Reason, want)
	}
	written, err := os.ReadFile(filepath.Join(p.root, ".evolve", "reports", after.run.ID+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p.report(after.run.ID), stable(t, written)); diff != "" {
		t.Errorf("the report that was written is another:\n%s", diff)
	}
}
