package batch

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/runtime/experience"
)

// The bounds of a run's notes on tools: tools of an agent, and the groups of failures,
// clusters of referrals, axes of one and other tools of each.
const (
	notedTools      = 40
	notedSignatures = 8
	notedClusters   = 8
	notedAxes       = 8
	notedShared     = 8
)

// noteTools adds to the record of a new run what the agents' turns in use have shown of their
// tools, and finds those to have written anew. A resumed run has the notes from its start.
func (r *runner) noteTools(ctx context.Context) error {
	if r.run.Resumed == 0 {
		for _, a := range r.agents {
			notes, err := toolNotes(ctx, r.o.Archive, a.ID)
			if err != nil {
				return err
			}
			r.run.Tools = append(r.run.Tools, notes...)
		}
	}
	return r.findForgeable(ctx)
}

// toolNotes returns the notes on an agent's tools in the order of their names. Of more than
// notedTools it returns those to change and those with the most calls.
func toolNotes(ctx context.Context, store *archive.Archive, agentID string) ([]archive.ToolNote, error) {
	e, err := store.Experience(ctx, agentID)
	if err != nil {
		return nil, fmt.Errorf("reading what the turns of %s have shown: %w", agentID, err)
	}
	var out []archive.ToolNote
	for _, name := range e.Tools() {
		n := archive.ToolNote{Agent: agentID, Origin: originOf(&e, name), Advice: e.Advice(name), Signatures: e.SignaturesOf(name)}
		n.Signatures = n.Signatures[:min(len(n.Signatures), notedSignatures)]
		n.Clusters = n.Clusters[:min(len(n.Clusters), notedClusters)]
		for i, c := range n.Clusters {
			n.Clusters[i].Axes = c.Axes[:min(len(c.Axes), notedAxes)]
			n.Clusters[i].Cause = "" // the text of a conversation that may be forgotten
		}
		n.Shared = n.Shared[:min(len(n.Shared), notedShared)]
		out = append(out, n)
	}
	if len(out) <= notedTools {
		return out, nil
	}
	slices.SortStableFunc(out, func(a, b archive.ToolNote) int {
		if retained := a.Remedy == experience.Retain; retained != (b.Remedy == experience.Retain) {
			if retained {
				return 1
			}
			return -1
		}
		return cmp.Compare(b.Calls, a.Calls)
	})
	out = out[:notedTools]
	slices.SortFunc(out, func(a, b archive.ToolNote) int { return cmp.Compare(a.Tool, b.Tool) })
	return out, nil
}

// originOf returns the origin of a tool's last call.
func originOf(e *experience.Experience, name string) string {
	var last experience.Capsule
	for _, c := range e.Capsules {
		if c.Tool == name && c.Domain == experience.Global && (last.Tool == "" || c.Last.After(last.Last)) {
			last = c
		}
	}
	return last.Origin
}
