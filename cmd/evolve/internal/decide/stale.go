package decide

import (
	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates"
)

// Stale names what changed in the workspace since a proposal of a config was measured. It
// is empty if the proposal may be approved.
func Stale(p archive.ProposalRecord, a *workspace.Agent, suites map[string]*bench.Suite) []string {
	moved := gates.Moved(p.Base, workspace.BaseOf(a, suites))
	if len(moved) == 0 && p.Champion != a.Champion.ID() {
		moved = []string{"the champion"}
	}
	return moved
}
