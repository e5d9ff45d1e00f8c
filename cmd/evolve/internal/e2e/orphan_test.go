//go:build unix

package e2e

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestKillLeavesNoProcess kills a run whose agent has started its own processes, and checks
// that the sandbox ends with the run. (Without a sandbox, the processes that the agent
// detached would survive.)
func TestKillLeavesNoProcess(t *testing.T) {
	t.Parallel()
	p := written(t, script{sandbox: "auto", timeout: "1h", first: `sleep 600 & sleep 600 >/dev/null 2>&1 </dev/null &`})
	pr := p.start(p.night()...)
	if !p.holds(pr) {
		t.Fatalf("the run ended: %+v", pr.wait())
	}
	if !pr.until(func() bool {
		v, err := p.look()
		return err == nil && len(v.evaluations) > 20
	}) {
		t.Fatalf("the run ended: %+v", pr.wait())
	}
	if box := p.sandbox(); strings.HasPrefix(box, "none") {
		pr.kill()
		t.Skipf("there is no sandbox here: %s", box)
	}
	if len(p.leftovers()) < 20 {
		t.Error("the agent has started nothing: this trial shows nothing")
	}
	pr.kill()
	p.nothingLeft()
}

// sandbox returns the sandbox of the latest run.
func (p place) sandbox() string {
	p.t.Helper()
	var r struct {
		Volatile struct{ Agents []struct{ Sandbox string } }
	}
	if err := json.Unmarshal([]byte(p.do(0, "report", "--json", "--workspace", p.root).stdout), &r); err != nil {
		p.t.Fatal(err)
	}
	return r.Volatile.Agents[0].Sandbox
}
