package bench

import (
	"context"
	"errors"
	"testing"

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
		err.Error() != "connection refused by 127.0.0.1:8077: no program listens on that address; it refused each of the first 10 attempts" {
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
