package tool

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
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

// flaky returns a foreign tool that fails the given number of times with a transient fault.
func flaky(effect Effect, failures int, tried *int) Tool {
	return custom{
		spec: Spec{Name: "far", Description: "d", Schema: json.RawMessage(`{"type":"object"}`), Effect: effect, Origin: "mcp:x", Category: Essential},
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
// is not even called at the first level of autonomy.
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
				res := do(t, guarded(t, book, flaky(c.effect, c.failures, &tried)), NewEnv(""), "far", `{}`)
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

// TestAToolThatDoesNotEnd tests that the call ends at its deadline, that only calls that
// share the tool's process are refused until the tool has ended, and that no other call
// uses what the tool may still be using.
func TestAToolThatDoesNotEnd(t *testing.T) {
	for name, c := range map[string]struct {
		origin string
		other  agent.Outcome // outcome of another tool with the same origin
	}{"a local tool": {"local", agent.OK}, "a tool of a server": {"mcp:x", agent.Timeout}, "an authored tool": {"authored", agent.OK}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				spec := Spec{Name: "deaf", Description: "d", Schema: json.RawMessage(`{"type":"object"}`), Effect: Read, Origin: c.origin, Category: Essential}
				near, far := spec, spec
				near.Name, far.Name, far.Origin = "near", "far", "mcp:y"
				fine := func() (Result, error) { return OK("fine"), nil }
				r := guarded(t, policy.Book{}, append(Builtin(), deaf{spec, release}, custom{spec: near, call: fine}, custom{spec: far, call: fine})...)
				dir := t.TempDir()
				if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("the gate is open"), 0o600); err != nil {
					t.Fatal(err)
				}
				env := NewEnv(dir)
				do(t, r, env, "note", `{"text":"before"}`)
				if res := do(t, r, env, "deaf", `{}`); res.Outcome != agent.Timeout {
					t.Errorf("%s: %s", res.Outcome, res.Output)
				}
				for _, call := range []struct {
					tool, args string
					want       agent.Outcome
				}{
					{"calculate", `{"expression":"1+1"}`, agent.OK},
					{"read_file", `{"path":"a.txt"}`, agent.OK},
					{"grep", `{"pattern":"gate"}`, agent.OK},
					{"note", `{"text":"after"}`, agent.OK},
					{"far", `{}`, agent.OK},
					{"near", `{}`, c.other},
					{"deaf", `{}`, agent.Timeout},
				} {
					if res := do(t, r, env, call.tool, call.args); res.Outcome != call.want {
						t.Errorf("afterwards %s: %s: %s", call.tool, res.Outcome, res.Output)
					}
				}
				close(release)
				synctest.Wait()
				if res := do(t, r, env, "near", `{}`); res.Outcome != agent.OK {
					t.Errorf("when it has ended: %s: %s", res.Outcome, res.Output)
				}
				if !slices.Equal(env.Notes, []string{"before", "after"}) {
					t.Errorf("notes %v", env.Notes)
				}
				if err := env.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// deaf is a tool that ignores its context and uses the environment before and after it
// blocks.
type deaf struct {
	spec    Spec
	release chan struct{}
}

func (d deaf) Spec() Spec { return d.spec }

func (d deaf) Call(_ context.Context, env *Env, _ json.RawMessage) (Result, error) {
	_, _ = env.Text("a.txt")
	<-d.release
	_, _ = env.Text("a.txt")
	_, _ = env.Files()
	env.Notes = append(env.Notes, "late")
	return OK("late"), nil
}

// TestLimitsAreOutcomes tests that a rate, a breaker and a budget each result in a distinct
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
				r := guarded(t, policy.Book{Tools: map[string]policy.Settings{"far": c.settings}}, flaky(Read, c.fail, &tried))
				do(t, r, NewEnv(""), "far", `{"n":1}`)
				res := do(t, r, NewEnv(""), "far", `{"n":2}`)
				if res.Outcome != c.want || tried != 1 || res.Output == "" {
					t.Errorf("%s after %d calls: %s", res.Outcome, tried, res.Output)
				}
			})
		})
	}
}

// BenchmarkPolicies measures the time that the policies add to a call. The bound is 20 µs.
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
