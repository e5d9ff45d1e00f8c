package batch

import (
	"context"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
)

// skills lets models draft skills, and proposes these skills, the tools that evaluations
// wrote and the memories from live turns. It does so once all agents are done, so that
// the proposals of configs have the same numbers whether or not something is drafted. It
// drafts only for agents with a language model: a heuristic uses no skills, and an
// operator's own program has its own skills. If the night was stopped or its deadline has
// passed, nothing is drafted. A failure here does not affect the night.
func (r *runner) skills(ctx context.Context, ended error, results []archive.AgentResult) []archive.ProposalRecord {
	if ended != nil || r.o.Drain.Err() != nil || !r.o.Until.IsZero() && !r.o.Now().Before(r.o.Until) {
		return nil
	}
	var out []archive.ProposalRecord
	for _, res := range results {
		a, ok := r.o.Workspace.Agent(res.Agent)
		if !ok || a.Adapter.Kind != workspace.KindBuiltin || a.Adapter.Model == workspace.ModelHeuristic {
			continue
		}
		if r.o.Skill != nil {
			p, err := r.o.Skill(ctx, a, r.run.ID)
			if err != nil {
				r.o.Log.Warn("a skill could not be drafted", "agent", a.ID, "error", err)
			} else if p != nil {
				out = append(out, *p)
			}
		}
		if r.o.Tools != nil {
			tools, err := r.o.Tools(ctx, a, r.run.ID)
			if err != nil {
				r.o.Log.Warn("the tools that the agent wrote during evaluations could not be collected", "agent", a.ID, "error", err)
			}
			out = append(out, tools...)
		}
		if r.o.Memories != nil {
			p, err := r.o.Memories(ctx, a, r.run.ID)
			if err != nil {
				r.o.Log.Warn("what the agent learned in live turns could not be collected", "agent", a.ID, "error", err)
			} else if p != nil {
				out = append(out, *p)
			}
		}
	}
	return out
}
