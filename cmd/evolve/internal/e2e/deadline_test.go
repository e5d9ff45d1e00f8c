//go:build unix

package e2e

import (
	"os"
	"strings"
	"testing"
	"time"

	"evolve/archive"
)

// endless are flags for runs that end only at their time limit.
var endless = []string{"--seed", "7", "--budget-evals", "10000000"}

// TestTimeIsUp checks a run that ends before its first evaluation. With more time, the
// search is planned for that time and completes.
func TestTimeIsUp(t *testing.T) {
	t.Parallel()
	p := starter(t)
	p.flags = endless
	o := decodeOutcome(t, p.do(6, p.night("--stages", "search", "--budget-time", "1ms")...))
	if a := o.Agents[0]; o.Exit != 6 || a.Verdict != archive.Undecided || len(a.Proposals) > 0 {
		t.Errorf("a run without a complete stage says %+v", o)
	}
	if v := p.mustLook(); v.run.State != archive.RunDone || v.run.Exit != 6 {
		t.Errorf("the run is %s with exit %d", v.run.State, v.run.Exit)
	}
	p.admits("the limit on time left no evaluations for the agent")
	// The next run is not affected.
	p.flags = []string{"--budget-evals", "300", "--stages", "search"}
	if o := decodeOutcome(t, p.do(0, p.night()...)); !strings.HasPrefix(o.Run, "2-") {
		t.Errorf("the next night is run %s", o.Run)
	}
}

// admits checks that the report names what the run had no time for.
func (p place) admits(words string) {
	p.t.Helper()
	text := strings.Join(strings.Fields(p.do(0, "report", "--workspace", p.root).stdout), " ")
	if !strings.Contains(text, words) {
		p.t.Errorf("the report does not say that %s:\n%s", words, text)
	}
}

// TestUntil runs with a time of day as the limit. A time that has passed means tomorrow. A
// run that must end at the next minute ends with the decisions that were possible by then.
func TestUntil(t *testing.T) {
	t.Parallel()
	p := tiny(t)
	p.do(0, p.night("--until", time.Now().UTC().Format("15:04"))...)
	if left := p.mustLook().run; left.Until.Sub(left.Started) < 23*time.Hour {
		t.Errorf("a run that began at %s must be done by %s", left.Started, left.Until)
	}
	if os.Getenv("EVOLVE_TRIALS") == "" {
		t.Log("EVOLVE_TRIALS is not set: the test would wait for minutes to pass")
		return
	}
	p = starter(t)
	p.flags = endless
	o := decodeOutcome(t, p.do(0, p.night("--until", time.Now().UTC().Add(2*time.Minute).Format("15:04"))...))
	v := p.mustLook()
	if !v.run.Ended.Before(v.run.Until) {
		t.Errorf("the run ended at %s, not before %s", v.run.Ended, v.run.Until)
	}
	if v.exposures == 0 || o.Agents[0].Reason == "" {
		t.Errorf("no time was kept for the confirmation: %+v", o)
	}
	p.admits("the search was cut short")
}
