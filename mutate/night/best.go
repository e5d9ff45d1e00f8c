package night

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Best is the best version of searched code, with the results of its confirmation.
type Best struct {
	archive.Variant
	// ConfirmedBy is the night that showed the version to be better; it is empty if no
	// night did.
	ConfirmedBy string
	// Ruling is the latest ruling on the version, or nil if the version has not entered the
	// confirmation.
	Ruling *stats.Ruling
	// Out is the reason why a night excluded the version from the confirmation; it is empty
	// if no night did.
	Out string
}

// BestOf returns the best version that nights found for the agent with the given hash. That
// is the version that a night confirmed last and that later nights have not beaten. If
// there is none, it is the version that the latest search recommended, unless gates refused
// it or it is left out because of other refusals by gates. ok is false if there is no
// version, or none better than base, which is the code as it is.
func BestOf(ctx context.Context, a *archive.Archive, agentID, hash string, base agent.ConfigID) (v Best, ok bool, err error) {
	out, err := LeftOut(ctx, a, agentID, hash, "")
	if err != nil {
		return v, false, err
	}
	var id agent.ConfigID
	kept, searched, refused, rulings := map[agent.ConfigID]string{}, false, map[agent.ConfigID]bool{}, map[agent.ConfigID]*stats.Ruling{}
	for r, err := range a.Runs(ctx) { // the latest first
		if err != nil {
			return v, false, fmt.Errorf("%w: reading the runs: %w", bench.ErrRecorder, err)
		}
		n, is, err := nightOn(ctx, a, r.ID, agentID, hash)
		if err != nil {
			return v, false, err
		}
		if !is {
			continue
		}
		for _, f := range n.Finalist {
			if rulings[f.Variant] == nil {
				rulings[f.Variant] = f.Ruling
			}
		}
		for _, f := range n.Refused {
			refused[agent.ConfigID(f.Variant)] = true
		}
		for _, l := range n.LeftOut {
			kept[l.Variant] = cmp.Or(kept[l.Variant], l.Reason)
		}
		if _, left := out[n.Winner]; n.Winner != "" && !left {
			id, v.ConfirmedBy = n.Winner, r.ID
			break
		}
		if !searched {
			id, searched = n.Search.Recommended.Variant, true
			if _, left := out[id]; left {
				id = ""
			}
		}
	}
	if id == "" || id == base || v.ConfirmedBy == "" && refused[id] {
		return v, false, nil
	}
	v.Ruling, v.Out = rulings[id], kept[id]
	if v.Variant, err = a.Variant(ctx, agentID, id); err != nil {
		return v, false, fmt.Errorf("%w: reading the best version: %w", bench.ErrRecorder, err)
	}
	return v, true, nil
}

// nightOn returns the result of a run for an agent. It returns false if the run was for
// another agent, or ended before it had a result.
func nightOn(ctx context.Context, a *archive.Archive, run, agentID, hash string) (archive.AgentResult, bool, error) {
	plan, err := a.Plan(ctx, run, agentID)
	if err == nil && plan.AgentHash == hash {
		var result archive.AgentResult
		result, err = a.Result(ctx, run, agentID)
		if err == nil {
			return result, true, nil
		}
	}
	if errors.Is(err, archive.ErrNotFound) {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("%w: reading the night of run %s: %w", bench.ErrRecorder, run, err)
	}
	return archive.AgentResult{}, false, err
}
