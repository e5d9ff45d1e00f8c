//go:build unix

package e2e

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestStopAtOnce interrupts a run whose agent hangs: after the first signal the run waits
// for the agent, after the second it does not, and finished work is stored.
func TestStopAtOnce(t *testing.T) {
	t.Parallel()
	// Both runs have the same program; it hangs while a file exists.
	const stall = `if [ -e "$TRIAL_CALLS.stall" ] && [ $(wc -l <"$TRIAL_CALLS") -gt 60 ]; then echo stalled >>"$TRIAL_CALLS.stalled"; sleep 600; fi`
	want := countedAfter(t, stall).undisturbed()
	p := countedAfter(t, stall)
	if err := os.WriteFile(p.log+".stall", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	pr := p.start(p.night()...)
	if !p.holds(pr) {
		t.Fatalf("the run ended: %+v", pr.wait())
	}
	var seen view
	if !pr.until(func() bool {
		stalled, err := os.ReadFile(p.log + ".stalled")
		if err != nil || strings.Count(string(stalled), "stalled") < 2 { // the pool has two processes
			return false
		}
		seen, err = p.look()
		return err == nil && len(seen.evaluations) == len(p.calls())-2
	}) {
		t.Fatalf("the run ended: %+v", pr.wait())
	}
	pr.signal(syscall.SIGINT)
	pr.signal(syscall.SIGTERM)
	r := pr.wait()
	if r.code != 130 || !strings.Contains(r.stderr, "interrupt again to stop at once") {
		t.Fatalf("exit %d: %s", r.code, r.stderr)
	}
	p.stopped(seen, syscall.SIGINT)
	p.nothingLeft()

	if err := os.Remove(p.log + ".stall"); err != nil {
		t.Fatal(err)
	}
	m := p.mark(p.mustLook())
	p.do(0, p.night("--resume")...)
	p.intact([]mark{m}, want)
	if again := p.paid([]mark{m}); again > 2 {
		t.Errorf("%d evaluations were made twice; two were under way", again)
	}
}
