package evidence

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// Conditions are what a ruling on a variant depends on, as they are now.
type Conditions struct {
	// Champion is the config in use, and AgentHash is the hash of the rest of the agent's
	// folder.
	Champion  agent.ConfigID
	AgentHash string
	Rules     Rules
}

// Ruled is what the runs of an archive found about a variant.
type Ruled struct {
	// Run is the latest run with a ruling against the present champion, on the present
	// tasks and agent, and Ruling is that ruling. Run is empty if there is none.
	Run    string
	Ruling *stats.Ruling
	// Other reports whether a run has a ruling against the present champion, but with
	// other tasks or another state of the agent's folder.
	Other bool
}

// Latest returns what the runs found about a variant of an agent. It leaves out results
// that the stored evaluations contradict. It also leaves out runs of other archives,
// because their results make no claim here.
func Latest(ctx context.Context, a *archive.Archive, agentID string, variant agent.ConfigID, now Conditions) (out Ruled, err error) {
	for run, err := range a.Runs(ctx) { // the latest first
		if err != nil {
			return out, fmt.Errorf("reading the runs: %w", err)
		}
		if run.Imported || !slices.Contains(run.Agents, agentID) {
			continue
		}
		r, err := a.Result(ctx, run.ID, agentID)
		if errors.Is(err, archive.ErrNotFound) {
			continue
		}
		if err != nil {
			return out, fmt.Errorf("reading the result of run %s: %w", run.ID, err)
		}
		at := slices.IndexFunc(r.Finalist, func(f archive.Finalist) bool { return f.Variant == variant && f.Ruling != nil })
		if at < 0 {
			continue
		}
		plan, err := a.Plan(ctx, run.ID, agentID)
		if err != nil {
			return out, fmt.Errorf("reading the plan of run %s: %w", run.ID, err)
		}
		if plan.Reference() != now.Champion {
			continue
		}
		if g := r.Grounds; plan.AgentHash != now.AgentHash || g != nil && (g.Fixed != now.Rules.Fixed || !slices.Equal(g.Tasks, Tasks(now.Rules.Holdout))) {
			out.Other = true
			continue
		}
		_, err = Check(ctx, a, r)
		if errors.As(err, new(*archive.AuditError)) {
			continue
		}
		if err != nil {
			return out, fmt.Errorf("recomputing the ruling of run %s: %w", run.ID, err)
		}
		out.Run, out.Ruling = run.ID, r.Finalist[at].Ruling
		return out, nil
	}
	return out, nil
}

// Words describes in words what is known: the claim with its interval, and the guards that
// the variant breaks.
func (k Ruled) Words() string {
	r := k.Ruling
	switch {
	case r == nil && k.Other:
		return "no run has confirmed it since the agent or its tasks changed"
	case r == nil:
		return "no run has confirmed it"
	case r.Claim == stats.NoClaim:
		return "run " + k.Run + " did not show that it is better: " + r.Reason
	}
	tasks := "new tasks like these"
	if r.Claim == stats.TheseTasks {
		tasks = "these tasks, though not on new ones"
	}
	i, _ := r.Shown()
	words := fmt.Sprintf("run %s showed that it is better on %s: %s points, 95 %% interval %s to %s", k.Run, tasks, text.Points(r.Difference), text.Points(i.Lo), text.Points(i.Hi))
	separator := "; it breaks a guard: "
	for _, g := range r.Guards {
		if g.Broken() {
			words += separator + g.Sentence()
			separator = "; "
		}
	}
	return words
}
