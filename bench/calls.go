package bench

import (
	"context"

	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// Within returns a model whose calls are not evaluations and are paid for from the
// budget: before each attempt at a call, the maximum cost of the attempt is reserved. If
// there is no money for a call, the error wraps ErrBudget.
func (b *Budget) Within(m model.Model) model.Model { return paid{m, b} }

// paid is a model whose calls are paid for from a budget.
type paid struct {
	model.Model
	b *Budget
}

// Next implements [model.Model].
func (p paid) Next(ctx context.Context, req *model.Request) (model.Reply, error) {
	attempts, err := model.BeginAttempts(ctx, p, model.AtMost(p.Model, req))
	if err != nil {
		return model.Reply{}, err
	}
	reply, err := p.Model.Next(attempts.Within(ctx), req)
	attempts.End(reply.Usage, err != nil && ctx.Err() != nil)
	return reply, err
}

// AtMost implements [model.Bounded].
func (p paid) AtMost(req *model.Request) model.Most { return model.AtMost(p.Model, req) }

// Reserve implements [model.Reserver].
func (p paid) Reserve(ctx context.Context, most model.Most, wait bool) (model.Reservation, error) {
	t, err := p.b.ReserveCall(ctx, most.USD(), wait)
	if err != nil {
		return nil, err
	}
	return call{t}, nil
}

// call is the reservation of an attempt.
type call struct{ t Ticket }

func (c call) Pay(u agent.Usage) { c.t.Pay(max(0, u.CostUSD)) }
func (c call) Lose()             { c.t.Abandon(0) }
func (c call) Release()          { c.t.Pay(0) }
