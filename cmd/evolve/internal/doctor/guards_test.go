package doctor

import (
	"strings"
	"testing"

	"evolve/cmd/evolve/internal/workspace"
)

// TestGuardsThatAreNotJudged checks that doctor warns about a guard on latency in the
// settings of a deterministic agent.
func TestGuardsThatAreNotJudged(t *testing.T) {
	w := &workspace.Workspace{Agents: []workspace.Agent{
		{ID: "fixed", Deterministic: true, Guards: workspace.Guards{"latency": {}}},
		{ID: "silent", Deterministic: true},
		{ID: "random", Guards: workspace.Guards{"latency": {}}},
	}}
	got := checkGuards(w)
	if len(got) != 1 || got[0].Name != "guards fixed" || got[0].Status != StatusWarn || !strings.Contains(got[0].Text, "the guard on latency in agent.yaml is not judged") {
		t.Errorf("the checks are %+v", got)
	}
}
