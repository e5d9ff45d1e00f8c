//go:build unix

package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"evolve/archive"
)

// TestStatusOfAKilledRun checks that status and doctor report a run in progress. After
// signal 9 they report that the run's process died and which command resumes the run, and
// the report shows no run in progress. After the resumed run has ended, they report
// neither.
func TestStatusOfAKilledRun(t *testing.T) {
	t.Parallel()
	p := counted(t)
	type status struct {
		Running bool
		Runs    []struct {
			State        archive.RunState
			Exit         int
			Reason, Next string
		}
	}
	look := func() (s status, text string) {
		t.Helper()
		if err := json.Unmarshal([]byte(p.do(0, "status", "--json", "--workspace", p.root).stdout), &s); err != nil {
			t.Fatal(err)
		}
		return s, p.do(0, "status", "--workspace", p.root).stdout
	}
	pr := p.start(p.night()...)
	if !p.holds(pr) || !pr.until(func() bool { return len(p.calls()) > 20 }) {
		t.Fatalf("the run ended: %+v", pr.wait())
	}
	if s, text := look(); !s.Running || s.Runs[0].State != archive.RunRunning || !strings.Contains(text, "running") {
		t.Errorf("while it is on: %+v\n%s", s, text)
	}
	pr.kill()
	s, text := look()
	if s.Running || s.Runs[0].State != archive.RunInterrupted || s.Runs[0].Exit != 130 || s.Runs[0].Next != "evolve run --resume" {
		t.Errorf("after the kill: %+v", s)
	}
	if !strings.Contains(text, "its process died, or could not record the run's end because the disk was full; the last record is from 20") || !strings.Contains(text, "evolve run --resume") || strings.Contains(text, "running") {
		t.Errorf("after the kill:\n%s", text)
	}
	if text := p.do(0, "report", "--workspace", p.root).stdout; strings.Contains(text, "still on") || !strings.Contains(text, "its process died") {
		t.Errorf("after the kill:\n%s", text)
	}
	if text := p.do(0, "doctor", "--trial", "0", "--workspace", p.root).stdout; !strings.Contains(text, "died, and the next run resumes it") {
		t.Errorf("after the kill:\n%s", text)
	}
	p.do(0, "run", "--resume", "--quiet", "--workspace", p.root)
	if s, text := look(); s.Running || s.Runs[0].State != archive.RunDone || s.Runs[0].Next != "" || strings.Contains(text, "died") {
		t.Errorf("after it went on: %+v\n%s", s, text)
	}
}
