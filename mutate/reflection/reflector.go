package reflection

import (
	"context"
	"errors"
	"fmt"

	"evolve/mutate"
	"evolve/runtime/agent"
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
	answer, err := r.Model.Next(ctx, m.request(r.Route, seed))
	out := Reply{Usage: answer.Usage}
	if err != nil {
		var failed *model.Error
		if errors.As(err, &failed) && failed.Outcome == agent.BudgetExceeded {
			out.Reason = "the provider's budget is spent, or the material is too long for the model"
			return out, nil
		}
		return out, fmt.Errorf("asking for a change: %w", err)
	}
	switch {
	case answer.Unsure:
		out.Reason = "the model had nothing to offer"
	case answer.Stop == model.StopRefusal:
		out.Reason = "the model refused to answer"
	case answer.Stop == model.StopLength:
		out.Reason = "the answer was cut off"
	case len(answer.Calls) > 0 || answer.Referral != nil:
		out.Reason = "the answer is a call of a tool"
	default:
		draft, err := m.judge(answer.Answer)
		if err != nil {
			out.Reason = sentence("the answer " + err.Error())
			break
		}
		out.Draft = &draft
	}
	return out, nil
}
