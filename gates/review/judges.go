package review

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"evolve/archive"
	"evolve/bench"
	"evolve/gates"
	"evolve/runtime/text"
)

// plans is the part of an archive that stores the plans of runs.
type plans interface {
	Plan(ctx context.Context, run, agentID string) (archive.AgentPlan, error)
}

// moved lists what has changed since a proposal was measured. base is the present base of
// the proposal's agent. The hash of a suite also covers the settings of the suite's judges;
// if these have changed since the run that measured the proposal, the entry for the suite
// describes how.
func moved(ctx context.Context, store plans, p archive.ProposalRecord, base map[string]string, suites []*bench.Suite) ([]string, error) {
	list := gates.Moved(p.Base, base)
	for _, s := range suites {
		i := slices.Index(list, path.Join("suites", s.Name))
		if i < 0 {
			continue
		}
		plan, err := store.Plan(ctx, p.Run, p.Agent)
		if errors.Is(err, archive.ErrNotFound) { // made by hand
			return list, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading the plan of run %s: %w", p.Run, err)
		}
		if what := plan.JudgeTerms[s.Name].Changed(s.JudgeTerms); what != "" && plan.JudgeTerms != nil {
			list[i] += " (its judge, " + text.OneLine(what) + ")"
		}
	}
	return list, nil
}
