package wire

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
	"evolve/runtime/experience"
	"evolve/runtime/scrub"
	"evolve/runtime/turn"
)

// Scrub returns the function that removes the credentials of a workspace from a text.
func (h *Host) Scrub(w *workspace.Workspace) func(string) string {
	return scrub.New(h.secrets(w)).String
}

// StoredTurns returns the stored turns of an agent with their calls, oldest first. A turn
// whose transcript was removed has none.
func StoredTurns(ctx context.Context, store *archive.Archive, agentID string) ([]experience.Turn, error) {
	var turns []experience.Turn
	for listed, err := range store.Turns(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the turns: %w", err)
		}
		if listed.Agent != agentID {
			continue
		}
		t, err := store.Turn(ctx, listed.ID)
		if err != nil {
			return nil, fmt.Errorf("reading turn %s: %w", listed.ID, err)
		}
		turns = append(turns, storedTurn(t))
	}
	return turns, nil
}

// storedTurn returns what feedback regards of a turn.
func storedTurn(t archive.TurnRecord) experience.Turn {
	out := experience.Turn{ID: t.ID, Session: t.Session, Message: t.Goal, Outcome: t.Outcome, Time: t.Created}
	out.Calls = callsOf(t.Transcript.Events)
	for _, e := range t.Transcript.Events {
		if e.Kind == agent.EventDomain {
			out.Domain = e.Name
			break
		}
	}
	return out
}

// DomainsOf returns the domains that an agent may have turns in: those of its table and those
// of its stored turns, sorted, and that of the turns without a domain.
func DomainsOf(a *workspace.Agent, e *experience.Experience, turns []experience.Turn) []string {
	table := a.Domains
	if table == nil {
		table = turn.DefaultDomains()
	}
	names := append(slices.Collect(maps.Keys(table)), experience.Global)
	for _, d := range e.Domains {
		names = append(names, d.Domain)
	}
	for _, t := range turns {
		if t.Domain != "" {
			names = append(names, t.Domain)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
