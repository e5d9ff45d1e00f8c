//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"evolve/archive"
)

// TestMeanwhile reads a workspace and starts a second run in it while a run is in progress.
func TestMeanwhile(t *testing.T) {
	t.Parallel()
	p := tiny(t)
	first := decodeOutcome(t, p.do(0, p.night()...))
	if len(first.Agents[0].Proposals) != 1 {
		t.Fatalf("the first night made the proposals %v, not one", first.Agents[0].Proposals)
	}
	long := p.start("run", "--workspace", p.root, "--seed", "8", "--budget-evals", "200000", "--json")
	if !p.holds(long) {
		t.Fatalf("the long run ended: %+v", long.wait())
	}

	if len(p.leftovers()) == 0 {
		t.Log("processes cannot be seen here: no trial shows that none is left")
	}
	second := p.do(5, p.night()...)
	holder := fmt.Sprintf("process %d", long.cmd.Process.Pid)
	if !strings.Contains(second.stderr, holder) || !strings.Contains(second.stderr, "evolve run") || second.stdout != "" {
		t.Errorf("the second run does not name %s: %q, %q", holder, second.stderr, second.stdout)
	}
	p.do(5, "approve", "--workspace", p.root, "--yes", "--by", "Robin", "P1")

	var status struct {
		Running  bool
		Awaiting []struct{ ID string }
	}
	if err := json.Unmarshal([]byte(p.do(0, "status", "--workspace", p.root, "--json").stdout), &status); err != nil {
		t.Fatal(err)
	}
	if !status.Running || len(status.Awaiting) != 1 || status.Awaiting[0].ID != "P1" {
		t.Errorf("status: %+v", status)
	}
	for _, args := range [][]string{
		{"status"},
		{"report"},
		{"report", "1"},
		{"report", "--json"},
		{"report", "--html"},
		{"report", "index"},
		{"proposals"},
		{"show", "P1"},
		{"diff", "P1"},
		{"variants"},
		{"audit", "verify"},
		{"archive", "stats"},
		{"archive", "check"},
		{"run", "--dry-run"},
	} {
		if r := p.do(0, append(args, "--workspace", p.root)...); r.stdout == "" {
			t.Errorf("evolve %v says nothing", args)
		}
	}
	if p.report(first.Run) == "" {
		t.Error("no report of the first night")
	}
	if long.over() {
		t.Fatalf("the long run ended while it was looked at: %+v", long.wait())
	}
	long.kill()
}

// TestTogether starts several runs at once: one of them proceeds, and the others report
// that a run is in progress.
func TestTogether(t *testing.T) {
	t.Parallel()
	p := starter(t)
	var all []*process
	for range 5 {
		all = append(all, p.start(p.night()...))
	}
	codes := map[int]int{}
	for _, pr := range all {
		r := pr.wait()
		codes[r.code]++
		if r.code == 5 && !strings.Contains(r.stderr, "held by evolve run") {
			t.Errorf("the later process does not name the reason for its end: %s", r.stderr)
		}
	}
	if codes[0] != 1 || codes[5] != 4 {
		t.Errorf("exit codes and how often: %v", codes)
	}
	if v := p.mustLook(); v.run.Number != 1 || v.run.State != archive.RunDone {
		t.Errorf("run %d is %s", v.run.Number, v.run.State)
	}
}
