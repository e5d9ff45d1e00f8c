package wire

import (
	"context"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
	"evolve/runtime/experience"
)

// ownTurn is a live turn of an operator's own agent. The agent chooses its tools itself, so
// evolve sends it the feedback that applies and notes the calls that ignore the feedback.
type ownTurn struct {
	past experience.Experience
	turn experience.Turn
}

// newOwnTurn returns the turn, or nil if the agent is built in or the turn is not a live
// turn.
func (f *AgentFactory) newOwnTurn(ctx context.Context, t Turn) (*ownTurn, error) {
	if t.Suite != nil || t.Agent.Adapter.Kind == workspace.KindBuiltin {
		return nil, nil
	}
	past, err := f.liveExperience(ctx, t.Agent)
	if err != nil {
		return nil, err
	}
	return &ownTurn{past: past, turn: experience.Turn{
		Session: t.Session, Domain: domainOf(t, agent.Transcript{}), Message: f.Sandbox.Scrubber.String(t.Task.Goal), Time: f.host.Now(),
	}}, nil
}

// feedback returns the feedback from people on tools that applies to the turn.
func (o *ownTurn) feedback() []agent.Feedback {
	if o == nil {
		return nil
	}
	t := o.turn
	return o.past.Wanted(experience.Use{Domain: t.Domain, Goal: t.Message, Session: t.Session, Now: t.Time})
}

// note records the turn's domain, and the calls to forbidden tools, in the turn's
// transcript.
func (o *ownTurn) note(t *agent.Transcript) {
	o.turn.Calls = experience.CallsOf(t.Events)
	t.Events = slices.Concat([]agent.Event{{Kind: agent.EventDomain, Name: o.turn.Domain}}, t.Events)
	for _, text := range o.past.Violations(o.turn) {
		t.Add(0, agent.Event{Kind: agent.EventCheck, Name: "feedback", Text: text})
	}
}

// liveExperience returns the experience from an agent's live turns; it returns none while
// another process holds the archive.
func (f *AgentFactory) liveExperience(ctx context.Context, a *workspace.Agent) (past experience.Experience, err error) {
	err = f.look(func(store *archive.Archive) error {
		past, err = store.Experience(ctx, a.ID)
		return err
	})
	if f.warnOfLock(err) {
		return experience.Experience{}, nil
	}
	if err != nil {
		return past, fmt.Errorf("reading the results of the agent's live turns: %w", err)
	}
	return past, nil
}
