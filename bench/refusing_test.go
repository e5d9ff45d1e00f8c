package bench

import (
	"context"
	"errors"
	"testing"
	"time"

	"evolve/runtime/agent"
)

// TestRefusedConnectionsEndTheRun checks that a server on this machine that refused the
// first ten attempts ends the run before any pause. A server that has answered does not,
// and neither do refusals with another failure in between.
func TestRefusedConnectionsEndTheRun(t *testing.T) {
	const address = "127.0.0.1:8077"
	refused := agent.Result{Outcome: agent.Infrastructure, Error: "connection refused", Refusing: address}
	run := func(answer func(call int) agent.Result) (calls int, err error) {
		b := newBed(t, Settings{}, scripted(func(context.Context, agent.Request) agent.Result {
			calls++
			return answer(calls)
		}), func(context.Context, GradeInput) (Grading, error) { return Grading{Score: 1}, nil })
		for _, id := range []string{"a", "b", "c", "d"} {
			if _, err = b.harness.Evaluate(t.Context(), job(task(id, "x"))); err != nil {
				break
			}
		}
		return calls, err
	}
	calls, err := run(func(int) agent.Result { return refused })
	var gone *NoServerError
	if !errors.Is(err, ErrOutage) || !errors.As(err, &gone) || *gone != (NoServerError{address, 10}) || calls != 10 ||
		err.Error() != "connection refused by 127.0.0.1:8077: no program listens on that address; each of the first 10 attempts was refused" {
		t.Errorf("after %d attempts: %v", calls, err)
	}
	for name, other := range map[string]agent.Result{
		"it has answered": {Outcome: agent.OK}, "it was there in between": {Outcome: agent.Infrastructure, Error: "status 503"},
	} {
		calls, err := run(func(call int) agent.Result {
			if call == 9 {
				return other
			}
			return refused
		})
		if errors.As(err, new(*NoServerError)) || calls < 12 {
			t.Errorf("%s: after %d attempts: %v", name, calls, err)
		}
	}
}

// TestARefusingServerBehindABreaker checks that as long as a server on this machine has
// refused every attempt, the harness does not wait for the delay that an open breaker
// states. Once something has been scored, the harness must wait.
func TestARefusingServerBehindABreaker(t *testing.T) {
	const delay = 30 * time.Second
	refused := agent.Result{
		Outcome: agent.Infrastructure, Error: "circuit open", Refusing: "127.0.0.1:11434",
		Refused: &agent.Refusal{Policy: "provider local: circuit open", RetryAfter: delay},
	}
	for name, c := range map[string]struct {
		first agent.Result
		gone  bool
	}{"from the first attempt on": {refused, true}, "after an answer": {agent.Result{Outcome: agent.OK}, false}} {
		calls, waited := 0, time.Duration(0)
		b := newBed(t, Settings{}, scripted(func(context.Context, agent.Request) agent.Result {
			if calls++; calls == 1 {
				return c.first
			}
			return refused
		}), func(context.Context, GradeInput) (Grading, error) { return Grading{Score: 1}, nil })
		b.harness.breaker = NewBreaker(Patience{}, "champion", func(_ context.Context, d time.Duration) error {
			waited += d
			return nil
		})
		var err error
		for _, id := range []string{"a", "b", "c", "d"} {
			if _, err = b.harness.Evaluate(t.Context(), job(task(id, "x"))); err != nil {
				break
			}
		}
		if gone := errors.As(err, new(*NoServerError)); gone != c.gone || (waited < delay) != c.gone {
			t.Errorf("%s: %v after %d attempts and %s of waiting", name, err, calls, waited)
		}
	}
}
