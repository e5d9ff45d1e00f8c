package batch

import (
	"context"

	"evolve/archive"
)

// maxMissed limits the number of warnings about one agent.
const maxMissed = 5

// missed adds warnings to each result. The warnings name the retracted memories that the
// agent has asked for since their retraction. A failure here does not affect the night.
func (r *runner) missed(ctx context.Context, results []archive.AgentResult) {
	if r.o.Missed == nil {
		return
	}
	for i := range results {
		a, ok := r.o.Workspace.Agent(results[i].Agent)
		if !ok {
			continue
		}
		warnings, err := r.o.Missed(ctx, a)
		if err == nil && len(warnings) > 0 {
			results[i].Warnings = append(results[i].Warnings, warnings[:min(len(warnings), maxMissed)]...)
			err = r.o.Archive.PutResult(ctx, results[i])
		}
		if err != nil {
			r.o.Log.Warn("could not check whether retracted memories would have helped in later failures", "agent", a.ID, "error", err)
		}
	}
}
