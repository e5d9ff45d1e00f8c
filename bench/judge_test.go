package bench

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"evolve/runtime/agent"
)

// TestJudgesArePaid checks that the budget counts what judges cost, including judges that
// gave no grade, and that the agent's own usage is recorded separately.
func TestJudgesArePaid(t *testing.T) {
	answer := "yes"
	worker := scripted(func(context.Context, agent.Request) agent.Result {
		return agent.Result{Outcome: agent.OK, Answer: &answer, Usage: agent.Usage{CostUSD: 1}}
	})
	calls := 0
	b := newBed(t, Settings{}, worker, func(context.Context, GradeInput) (Grading, error) {
		if calls++; calls == 1 {
			return Grading{Judge: agent.Usage{CostUSD: .25}}, errors.New("no verdict")
		}
		return Grading{Score: 1, Pass: true, Judge: agent.Usage{CostUSD: .5, Iterations: 2}}, nil
	})
	e, err := b.harness.Evaluate(t.Context(), job(task("t", "yes")))
	if err != nil || !e.Scored || e.Usage.CostUSD != 1 || e.Judge.CostUSD != .5 || e.Paid() != 1.5 {
		t.Errorf("%+v, %v", e, err)
	}
	if got := b.harness.budget.Spent(); math.Abs(got-2.75) > 1e-12 {
		t.Errorf("spent %v, want the agent twice and the judge twice", got)
	}
}

// TestJudgingIsTimed checks that the time that judges take is stored beside the agent's
// time, and that no such time is stored for graders without judges.
func TestJudgingIsTimed(t *testing.T) {
	for calls, want := range map[int]time.Duration{0: 0, 2: 3 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			b := newBed(t, Settings{}, scripted(func(context.Context, agent.Request) agent.Result {
				time.Sleep(time.Second)
				return answer("yes")
			}), func(context.Context, GradeInput) (Grading, error) {
				time.Sleep(3 * time.Second)
				return Grading{Score: 1, Pass: true, Judge: agent.Usage{Iterations: calls}}, nil
			})
			e, err := b.harness.Evaluate(t.Context(), job(task("t", "yes")))
			if err != nil || e.Latency != time.Second || e.Judging != want {
				t.Errorf("%d calls: the agent took %s and the judge %s, %v", calls, e.Latency, e.Judging, err)
			}
		})
	}
}

// TestJudgeWithoutBudget checks that a judge whose policy budget is spent ends the agent's
// work, as if the budget were the agent's own.
func TestJudgeWithoutBudget(t *testing.T) {
	answer := "yes"
	worker := scripted(func(context.Context, agent.Request) agent.Result {
		return agent.Result{Outcome: agent.OK, Answer: &answer}
	})
	b := newBed(t, Settings{}, worker, func(context.Context, GradeInput) (Grading, error) {
		return Grading{}, &RefusedError{Refusal: agent.Refusal{Policy: "provider court: spent", Spent: true}, Err: errors.New("spent")}
	})
	e, err := b.harness.Evaluate(t.Context(), job(task("t", "yes")))
	var spent *SpentError
	if !errors.As(err, &spent) || spent.Policy != "provider court: spent" || e.Scored || b.calls != 1 {
		t.Errorf("%+v, %v after %d calls", e, err, b.calls)
	}
}

// TestRateLimitIsItsOwnOutcome checks that an evaluation is missing data, with an outcome
// of its own, if the provider of the agent or of its judge limits the rate.
func TestRateLimitIsItsOwnOutcome(t *testing.T) {
	answer, limit := "yes", agent.Refusal{Policy: "provider court: rate limited", Rate: true}
	for name, c := range map[string]struct {
		res   agent.Result
		grade error
	}{
		"agent": {agent.Result{Outcome: agent.RateLimited, Error: limit.Policy, Refused: &limit}, nil},
		"judge": {agent.Result{Outcome: agent.OK, Answer: &answer}, &RefusedError{Refusal: limit, Err: errors.New("429")}},
	} {
		worker := scripted(func(context.Context, agent.Request) agent.Result { return c.res })
		b := newBed(t, Settings{}, worker, func(context.Context, GradeInput) (Grading, error) { return Grading{Score: 1, Pass: true}, c.grade })
		e, err := b.harness.Evaluate(t.Context(), job(task("t", "yes")))
		if err != nil || e.Scored || e.Outcome != agent.RateLimited || e.Attempts < 2 {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
}
