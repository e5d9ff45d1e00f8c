package policy

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"evolve/runtime/agent"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func engine(t testing.TB, o Options) *Engine {
	t.Helper()
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// remote returns options with a tool "remote" that has the settings s.
func remote(s Settings) Options {
	return Options{Book: Book{Tools: map[string]Settings{"remote": s}}}
}

// call returns a repeatable call to the tool "remote".
func call(id string) Call {
	return Call{Kind: Tool, Name: "remote", Origin: local, Agent: "clerk", ID: id, Seed: 7, Repeatable: true}
}

var errDown = errors.New("connection refused")

func failure(retryAfter time.Duration) error {
	return &Failure{Outcome: agent.Execution, Retry: true, RetryAfter: retryAfter, Err: errDown}
}

func limited(retryAfter time.Duration) error {
	return &Failure{Outcome: agent.RateLimited, Retry: true, RetryAfter: retryAfter, Err: errors.New("status 429")}
}

type runner = func(ctx context.Context, attempt int) (Spent, error)

func ok(context.Context, int) (Spent, error) { return Spent{}, nil }

func fails(err error) runner {
	return func(context.Context, int) (Spent, error) { return Spent{}, err }
}

func takes(d time.Duration) runner {
	return func(ctx context.Context, _ int) (Spent, error) {
		_, err := sleep(ctx, d, nil)
		return Spent{}, err
	}
}

// deaf returns a function that runs for the duration d and ignores its context.
func deaf(d time.Duration) runner {
	return func(context.Context, int) (Spent, error) { time.Sleep(d); return Spent{}, nil }
}
