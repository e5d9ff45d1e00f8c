package bench

import (
	"context"
	"errors"
	"testing"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// retrying is a model whose calls cost up to 4 cents per attempt, and whose first attempt
// at each call is lost.
type retrying struct{ sent *int }

func (retrying) AtMost(*model.Request) model.Most { return model.Most{Output: 1, OutputUSD: .04} }

func (r retrying) Next(ctx context.Context, req *model.Request) (model.Reply, error) {
	for range 2 {
		attempt, err := model.BeginAttempt(ctx, r.AtMost(req))
		if err != nil {
			return model.Reply{}, err
		}
		if *r.sent++; *r.sent%2 == 1 {
			attempt.Lose()
			continue
		}
		attempt.Pay(agent.Usage{CostUSD: .01})
	}
	return model.Reply{Usage: agent.Usage{CostUSD: .01}}, nil
}

// plainModel reports no attempts.
type plainModel struct{}

func (plainModel) Next(context.Context, *model.Request) (model.Reply, error) {
	return model.Reply{Usage: agent.Usage{CostUSD: .03}}, nil
}

// TestCallsOfModelsStayWithinABudget checks that each attempt reserves its maximum cost,
// that a lost attempt counts at that cost, and that calls do not count as evaluations.
func TestCallsOfModelsStayWithinABudget(t *testing.T) {
	t.Parallel()
	b, sent := NewBudget(.12, time.Time{}, time.Now), 0
	m := b.Within(retrying{&sent})
	if _, err := m.Next(t.Context(), &model.Request{}); err != nil || b.Spent() < .0499 || b.Spent() > .0501 {
		t.Fatalf("$%v, %v", b.Spent(), err)
	}
	if _, err := m.Next(t.Context(), &model.Request{}); !errors.Is(err, ErrBudget) || sent != 3 {
		t.Errorf("a second attempt of 4 cents beside 9 of 12: %d sent, %v", sent, err)
	}
	if _, err := m.Next(t.Context(), &model.Request{}); !errors.Is(err, ErrBudget) || sent != 3 || b.Spent() > .0901 {
		t.Errorf("%d sent, $%v, %v", sent, b.Spent(), err)
	}
	if _, err := b.Within(plainModel{}).Next(t.Context(), &model.Request{}); err != nil || b.Spent() < .1199 || b.Made().Evaluations != 0 || b.Made().USD != 0 {
		t.Errorf("$%v, %+v, %v", b.Spent(), b.Made(), err)
	}
}
