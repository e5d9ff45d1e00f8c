package reflection

import (
	"context"
	"fmt"

	"evolve/mutate"
	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/model"
)

// Reflector requests changes from the model of one route. It is safe for concurrent use
// when its model is.
type Reflector struct {
	Model model.Model
	// Route is the route hint for the model.
	Route string
}

// Reply is the result of a request.
type Reply struct {
	// Draft is nil when the model had no change or its answer was refused; Reason is then
	// the reason, a line of bounded length that may quote the answer.
	Draft  *mutate.Draft
	Reason string
	// Outcome is that of a request without an answer.
	Outcome agent.Outcome
	Usage   agent.Usage
}

// Draft requests one change of the material's component. An error is the context's or an
// infrastructure failure, and does not depend on the material. The same material and seed
// give the same request.
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
