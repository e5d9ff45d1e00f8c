package tool

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/policy"
)

func guarded(t testing.TB, book policy.Book, tools ...Tool) *Registry {
	t.Helper()
	engine, err := policy.New(policy.Options{Book: book})
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewRegistry(Options{Agent: "clerk", Guard: engine}, tools...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// flaky returns a foreign tool that fails a number of times with a transient fault.
func flaky(effect Effect, key string, failures int, tried *int) Tool {
	return custom{
		spec: Spec{Name: "far", Description: "d", Schema: json.RawMessage(`{"type":"object"}`), Effect: effect, Key: key, Origin: "mcp:x", Category: Essential},
		call: func() (Result, error) {
			if *tried++; *tried <= failures {
				res := Failed(agent.Execution, "down")
				res.Fault = &policy.Failure{Outcome: agent.Execution, Retry: true, Err: errors.New("down")}
				return res, nil
			}
			return OK("up"), nil
		},
	}
}

// TestRetriesByEffect tests that a read is retried, and that a tool with another effect
// is not even called at the first level.
func TestRetriesByEffect(t *testing.T) {
	book := policy.Book{Origins: map[string]policy.Settings{"mcp": {Attempts: 3, Backoff: time.Second}}}
	for name, c := range map[string]struct {
		effect   Effect
		failures int
		want     agent.Outcome
		tried    int
	}{
		"read recovers":   {Read, 2, agent.OK, 3},
		"read gives up":   {Read, 9, agent.Execution, 3},
		"write is denied": {Write, 0, agent.Denied, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tried := 0
				res := do(t, guarded(t, book, flaky(c.effect, "", c.failures, &tried)), NewEnv(""), "far", `{}`)
				if res.Outcome != c.want || tried != c.tried {
					t.Errorf("%s after %d attempts (%s)", res.Outcome, tried, res.Output)
				}
				if c.tried > 0 && (res.Applied == nil || res.Applied.Attempts != c.tried || len(res.Applied.Values) == 0 || res.Fault != nil) {
					t.Errorf("applied %+v, fault %v", res.Applied, res.Fault)
				}
			})
		})
	}
}

// TestRepeatable tests that only a read, or an idempotent write with its key, is
// repeated.
func TestRepeatable(t *testing.T) {
	for _, c := range []struct {
		spec Spec
		args string
		want bool
	}{
		{Spec{Effect: Read}, `{}`, true},
		{Spec{Effect: Write}, `{"key":"a"}`, false},
		{Spec{Effect: IdempotentWrite}, `{"key":"a"}`, false},
		{Spec{Effect: IdempotentWrite, Key: "key"}, `{"key":"a"}`, true},
		{Spec{Effect: IdempotentWrite, Key: "key"}, `{"key":""}`, false},
		{Spec{Effect: IdempotentWrite, Key: "key"}, `{"other":"a"}`, false},
	} {
		if got := c.spec.repeatable(json.RawMessage(c.args)); got != c.want {
			t.Errorf("%s %s: %v", c.spec.Effect, c.args, got)
		}
	}
}

// TestAToolThatDoesNotEnd tests that the call ends at its deadline, and that no other
// call of the turn uses the files that the tool may still be using.
func TestAToolThatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		deaf := custom{
			spec: Spec{Name: "deaf", Description: "d", Schema: json.RawMessage(`{"type":"object"}`), Effect: Read, Origin: "mcp:x", Category: Essential},
			call: func() (Result, error) { <-release; return OK("late"), nil },
		}
		r := guarded(t, policy.Book{}, append(Builtin(), deaf)...)
		env := NewEnv("")
		if res := do(t, r, env, "deaf", `{}`); res.Outcome != agent.Timeout {
			t.Errorf("%s: %s", res.Outcome, res.Output)
		}
		if res := do(t, r, env, "calculate", `{"expression":"1+1"}`); res.Outcome != agent.Timeout {
			t.Errorf("afterwards %s: %s", res.Outcome, res.Output)
		}
		close(release)
	})
}

// TestLimitsAreOutcomes tests that a rate, a breaker and a budget each have their own
// outcome.
func TestLimitsAreOutcomes(t *testing.T) {
	for name, c := range map[string]struct {
		settings policy.Settings
		fail     int
		want     agent.Outcome
	}{
		"rate":    {policy.Settings{RateCalls: 1, RatePer: time.Hour, RateWait: time.Second}, 0, agent.RateLimited},
		"budget":  {policy.Settings{PerRun: policy.Budget{Calls: 1}}, 0, agent.BudgetExceeded},
		"breaker": {policy.Settings{Attempts: 1, BreakerCalls: 1, BreakerFailures: .5, BreakerOpen: time.Minute}, 9, agent.CircuitOpen},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tried := 0
				r := guarded(t, policy.Book{Tools: map[string]policy.Settings{"far": c.settings}}, flaky(Read, "", c.fail, &tried))
				do(t, r, NewEnv(""), "far", `{"n":1}`)
				res := do(t, r, NewEnv(""), "far", `{"n":2}`)
				if res.Outcome != c.want || tried != 1 || res.Output == "" {
					t.Errorf("%s after %d calls: %s", res.Outcome, tried, res.Output)
				}
			})
		})
	}
}

// BenchmarkPolicies measures what the policies add to a call: the bound is 20 µs.
func BenchmarkPolicies(b *testing.B) {
	all := policy.Settings{
		Deadline: time.Minute, Attempts: 3, Backoff: time.Second, BreakerCalls: 100, BreakerFailures: .5, BreakerOpen: time.Second, BreakerProbes: 1,
		RateCalls: 1_000_000_000, RatePer: time.Second, RateWait: time.Second, Concurrency: 8, QueueWait: time.Second,
		PerRun: policy.Budget{Calls: 1 << 40, USD: 1e6}, PerDay: policy.Budget{Tokens: 1 << 40},
	}
	tool := custom{
		spec: Spec{Name: "far", Description: "d", Schema: json.RawMessage(`{"type":"object"}`), Effect: Read, Origin: "local", Category: Essential},
		call: func() (Result, error) { return OK("x"), nil },
	}
	bare, err := NewRegistry(Options{}, tool)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		r    *Registry
	}{{"none", bare}, {"built in", guarded(b, policy.Book{}, tool)}, {"everything", guarded(b, policy.Book{Environment: all}, tool)}} {
		b.Run(c.name, func(b *testing.B) {
			env := NewEnv("")
			for b.Loop() {
				if _, err := c.r.Call(context.Background(), env, Invocation{Name: "far", Arguments: json.RawMessage(`{}`)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
