package night

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"evolve/bench"
	"evolve/runtime/agent"
)

// findInert notes the parameters that the model did not take in these evaluations.
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
				if p, ok := n.Agent.Space.Lookup(name); ok && varies(p) && !slices.Contains(n.inert, name) {
					n.inert = append(n.inert, name)
				}
			}
		}
	}
	return nil
}

// leaveOut takes the parameters out of the search that the model was found not to take.
// Archived configs get the champion's values of them, which changes no answer.
func (n *night) leaveOut() {
	if len(n.inert) == 0 {
		return
	}
	before, champion := n.Agent, n.Agent.Champion
	n.Agent.Space.Params = slices.Clone(before.Space.Params)
	for i, p := range n.Agent.Space.Params {
		if v, ok := champion[p.Name]; ok && slices.Contains(n.inert, p.Name) {
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
		for _, name := range n.inert {
			if v, ok := champion[name]; ok && c[name] != nil {
				c[name] = v
			}
		}
		return space.Parse(c)
	}
	n.Plan.Warnings = append(n.Plan.Warnings, "not searched: "+strings.Join(n.inert, ", ")+" (the model does not take it)")
}
