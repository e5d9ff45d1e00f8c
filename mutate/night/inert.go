package night

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// inert holds the parameters that a model was found not to accept.
type inert struct {
	model string
	names []string
}

// maxModel is the maximum length, in bytes, of the stored name of a model, which may come
// from its server.
const maxModel = 80

// findInert notes the parameters that the model did not accept in these evaluations.
func (n *night) findInert(ctx context.Context, evals []bench.Evaluation) error {
	for i := range evals {
		if err := n.withTranscript(ctx, &evals[i]); err != nil {
			return err
		}
		if evals[i].Transcript == nil {
			continue
		}
		for _, e := range evals[i].Transcript.Events {
			var names []string
			if e.Kind != agent.EventInert || json.Unmarshal(e.Data, &names) != nil {
				continue
			}
			for _, name := range names {
				if p, ok := n.Agent.Space.Lookup(name); ok && varies(p) && !slices.Contains(n.inert.names, name) {
					n.inert.model, n.inert.names = text.Clip(e.Name, maxModel), append(n.inert.names, name)
				}
			}
		}
	}
	return nil
}

// leaveOut removes from the search the parameters that the model was found not to accept.
// In archived configs it gives these parameters the champion's values, which changes no
// answer. It also records the parameters for later nights.
func (n *night) leaveOut(ctx context.Context) error {
	if n.Agent.Refused != "" {
		n.Plan.Warnings = append(n.Plan.Warnings, "not searched: "+n.Agent.Refused)
	}
	if len(n.inert.names) == 0 {
		return nil
	}
	before, champion := n.Agent, n.Agent.Champion
	n.Agent.Space.Params = slices.Clone(before.Space.Params)
	for i, p := range n.Agent.Space.Params {
		if v, ok := champion[p.Name]; ok && slices.Contains(n.inert.names, p.Name) {
			n.Agent.Space.Params[i] = p.Only(v)
		}
	}
	space := n.Agent.Space
	n.Agent.Read = func(raw agent.Config) (agent.Config, []agent.Problem) {
		c := before.read(raw)
		if c == nil {
			return space.Parse(raw)
		}
		c = c.Clone()
		for _, name := range n.inert.names {
			if v, ok := champion[name]; ok && c[name] != nil {
				c[name] = v
			}
		}
		return space.Parse(c)
	}
	n.Plan.Warnings = append(n.Plan.Warnings, "not searched: "+strings.Join(n.inert.names, ", ")+" (not accepted by the model)")
	return n.keepInert(ctx)
}

// keepInert records the parameters that the model does not accept, once per run.
func (n *night) keepInert(ctx context.Context) error {
	if n.Agent.Routes == "" {
		return nil
	}
	known, err := n.Archive.Inert(ctx, n.Agent.ID, n.Agent.Routes)
	if err != nil {
		return fmt.Errorf("reading the parameters that the model does not accept: %w", err)
	}
	if slices.ContainsFunc(known, func(i archive.Inert) bool { return i.Run == n.Run.ID }) {
		return nil // already recorded before the run was resumed
	}
	e, err := archive.NewLedgerEntry(n.Now(), archive.InertKind, n.Run.ID, archive.Inert{
		Agent: n.Agent.ID, Routes: n.Agent.Routes, Model: n.inert.model, Params: n.inert.names,
	})
	if err == nil {
		_, err = n.Archive.Append(ctx, e)
	}
	if err != nil {
		return fmt.Errorf("%w: recording the parameters that the model does not accept: %w", bench.ErrRecorder, err)
	}
	return nil
}
