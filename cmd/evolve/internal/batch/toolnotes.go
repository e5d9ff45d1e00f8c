package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/bench"
	"evolve/runtime/experience"
)

// The limits of a run's notes on tools: the number of an agent's tools and, for each tool,
// the number of groups of failures, of clusters of referrals, of axes of a cluster, and of
// other tools.
const (
	notedTools      = 40
	notedSignatures = 8
	notedClusters   = 8
	notedAxes       = 8
	notedShared     = 8
)

// noteTools adds the experience of the agents' live turns with their tools to the record
// of a new run, and finds the tools to be rewritten. A resumed run has the notes from its
// start.
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

// toolNotes returns the notes on an agent's tools, ordered by name. If there are more than
// notedTools, it returns only the notes on the tools to be changed and on the tools with
// the most calls.
func toolNotes(ctx context.Context, store *archive.Archive, agentID string) ([]archive.ToolNote, error) {
	e, err := store.Experience(ctx, agentID)
	if err != nil {
		return nil, fmt.Errorf("reading the results of the live turns of %s: %w", agentID, err)
	}
	var out []archive.ToolNote
	for _, name := range e.Tools() {
		n := archive.ToolNote{Agent: agentID, Origin: originOf(&e, name), Advice: e.Advice(name), Signatures: e.SignaturesOf(name)}
		n.Signatures = n.Signatures[:min(len(n.Signatures), notedSignatures)]
		n.Clusters = n.Clusters[:min(len(n.Clusters), notedClusters)]
		for i, c := range n.Clusters {
			n.Clusters[i].Axes = c.Axes[:min(len(c.Axes), notedAxes)]
			n.Clusters[i].Cause = "" // the text is from a conversation that may be deleted
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

// maxChampion is the maximum number of a champion's evaluations whose transcripts are read.
const maxChampion = 500

// noteChampions extends the notes on tools with the failures of these tools in the
// champions' evaluations of search tasks. Agents without live turns have no notes. A
// failure here does not affect the night.
func (r *runner) noteChampions(ctx context.Context, ended error) {
	if ended != nil {
		return
	}
	for i, a := range r.agents {
		if !slices.ContainsFunc(r.run.Tools, func(n archive.ToolNote) bool { return n.Agent == a.ID }) {
			continue
		}
		seen, err := r.championUse(ctx, i)
		if err != nil {
			r.o.Log.Warn("the failures of tools in the champion's evaluations are not in the report", "agent", a.ID, "error", err)
			continue
		}
		for k := range r.run.Tools {
			if n := &r.run.Tools[k]; n.Agent == a.ID {
				list := seen.SignaturesOf(n.Tool)
				n.Champion = list[:min(len(list), notedSignatures)]
			}
		}
	}
}

// championUse returns the experience with the champion's tools, drawn from its evaluations
// of search tasks in this run. The result is for those who build tools and is not stored.
func (r *runner) championUse(ctx context.Context, at int) (*experience.Experience, error) {
	if err := r.o.Archive.Flush(ctx); err != nil {
		return nil, err
	}
	out, read := &experience.Experience{}, 0
	champion := r.specs[at].Agent.Champion.ID()
	for e, err := range r.o.Archive.Evaluations(ctx, r.run.ID, r.agents[at].ID) {
		if err != nil {
			return nil, err
		}
		if e.Variant != champion || e.Split != bench.Search || read == maxChampion {
			continue
		}
		t, err := r.o.Archive.Transcript(ctx, e.Key)
		if errors.Is(err, archive.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		read++
		out.Learn(experience.Turn{Domain: e.Domain, Outcome: e.Outcome, Time: e.Time, Calls: experience.CallsOf(t.Events)})
	}
	return out, nil
}
