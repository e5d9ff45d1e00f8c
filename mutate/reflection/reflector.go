package reflection

import (
	"context"
	"fmt"

	"evolve/mutate"
	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/model"
)

// Reflector asks one route's model for changes. It is safe for concurrent use when
// its model is.
type Reflector struct {
	Model model.Model
	// Route is the hint of the model.
	Route string
}

// Reply is what came of asking.
type Reply struct {
	// Draft is nil when the model had nothing to offer or its answer was refused; then
	// Reason says why, in a line of bounded length that may quote the answer.
	Draft  *mutate.Draft
	Reason string
	Usage  agent.Usage
}

// Draft asks for one change of the material's component. An error is the context's, or
// infrastructure's: then nothing is known of the material. The same material and seed
// ask the same question.
func (r Reflector) Draft(ctx context.Context, m Material, seed int64) (Reply, error) {
	p, ok := m.Space.Lookup(m.Component)
	if _, active := m.Config[m.Component]; !ok || !active || !changeable(p) {
		return Reply{Reason: fmt.Sprintf("there is nothing to change in %q", m.Component)}, nil
	}
	answer, none, err := model.Ask(ctx, r.Model, m.request(r.Route, seed))
	out := Reply{Usage: answer.Usage, Reason: none}
	if err != nil {
		return out, fmt.Errorf("asking for a change: %w", err)
	}
	if none != "" {
		return out, nil
	}
	if draft, wrong := m.judge(answer.Answer); wrong != nil {
		out.Reason = memory.Line("the answer "+wrong.Error(), maxRationale)
	} else {
		out.Draft = &draft
	}
	return out, nil
}
