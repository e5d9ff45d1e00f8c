package wire

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
	"evolve/runtime/experience"
	"evolve/runtime/scrub"
	"evolve/runtime/session"
	"evolve/runtime/turn"
)

// Scrub returns a function that removes the workspace's credentials from a text.
func (h *Host) Scrub(w *workspace.Workspace) func(string) string {
	return scrub.New(h.secrets(w)).String
}

// StoredTurns returns the stored turns of an agent with their calls, oldest first. If
// wanted is not nil, it returns only the turns for which wanted reports true. A turn whose
// transcript was removed has no calls. If a turn has no recorded domain, as is the case for
// turns of operators' own agents in earlier versions, its domain is that of its message.
func StoredTurns(ctx context.Context, store *archive.Archive, a *workspace.Agent, wanted func(archive.TurnRecord) bool) ([]experience.Turn, error) {
	var turns []experience.Turn
	said := map[string][]agent.Message{} // by session
	for listed, err := range store.Turns(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the turns: %w", err)
		}
		if listed.Agent != a.ID || wanted != nil && !wanted(listed) {
			continue
		}
		t, err := store.Turn(ctx, listed.ID)
		if err != nil {
			return nil, fmt.Errorf("reading turn %s: %w", listed.ID, err)
		}
		stored := storedTurn(t)
		if a.Adapter.Kind != workspace.KindBuiltin {
			stored.Domain = cmp.Or(stored.Domain, turn.Classify(a.Domains, t.Goal))
		}
		if t.Session != "" {
			stored.Signal = experience.Classify(t.Goal, said[t.Session])
			said[t.Session] = session.Continue(said[t.Session], t.Goal, answerOf(t))
		}
		turns = append(turns, stored)
	}
	return turns, nil
}

// answerOf returns the answer of a turn, or nil for a turn without an answer.
func answerOf(t archive.TurnRecord) *string {
	if t.Outcome != agent.OK || t.Answer == "" {
		return nil
	}
	return &t.Answer
}

// storedTurn converts a stored turn to the form used for learning.
func storedTurn(t archive.TurnRecord) experience.Turn {
	out := experience.Turn{ID: t.ID, Session: t.Session, Message: t.Goal, Outcome: t.Outcome, Calls: experience.CallsOf(t.Transcript.Events), Time: t.Created}
	out.Domain = recordedDomain(t.Transcript)
	return out
}

// recordedDomain returns the domain recorded in a turn's transcript, or "" if there is
// none.
func recordedDomain(t agent.Transcript) string {
	i := slices.IndexFunc(t.Events, func(e agent.Event) bool { return e.Kind == agent.EventDomain })
	if i < 0 {
		return ""
	}
	return t.Events[i].Name
}

// DomainsOf returns a sorted list of the domains in which an agent may have turns: the
// domains in the agent's table, those of its stored turns, and the domain for turns
// without one.
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
