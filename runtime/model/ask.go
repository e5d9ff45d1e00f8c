package model

import (
	"context"
	"errors"

	"evolve/runtime/agent"
)

// Ask requests one text from a model, outside of any turn. If there is no usable text,
// the second result (none) gives the reason in words for people: the model gave no
// answer, refused, was cut off or called a tool, or its budget is spent. An error comes
// from the context or the infrastructure, and provides no information about the question.
func Ask(ctx context.Context, m Model, req *Request) (reply Reply, none string, err error) {
	reply, err = m.Next(ctx, req)
	var failed *Error
	switch {
	case errors.As(err, &failed) && failed.Outcome == agent.BudgetExceeded:
		return reply, "the provider's budget is spent, or the request is too long for the model", nil
	case err != nil:
		return reply, "", err
	case reply.Unsure:
		return reply, "the model gave no answer", nil
	case reply.Stop == StopRefusal:
		return reply, "the model refused to answer", nil
	case reply.Stop == StopLength:
		return reply, "the answer was cut off", nil
	case len(reply.Calls) > 0 || reply.Referral != nil:
		return reply, "the answer is a tool call", nil
	}
	return reply, "", nil
}
