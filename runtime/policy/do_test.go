package policy

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
)

func TestTypedErrors(t *testing.T) {
	for name, c := range map[string]struct {
		settings Settings
		before   []runner
		run      runner
		outcome  agent.Outcome
		is       any
		message  string
		after    time.Duration // duration of Do
		attempts int
	}{
		"a deadline": {
			settings: Settings{Deadline: 3 * time.Second}, run: takes(time.Minute),
			is: new(*TimeoutError), outcome: agent.Timeout, message: "timed out after 3s (deadline 3s)", after: 3 * time.Second, attempts: 1,
		},
		"a deadline that the function ignores": {
			settings: Settings{Deadline: 3 * time.Second}, run: deaf(time.Minute),
			is: new(*TimeoutError), outcome: agent.Timeout, message: "timed out after 3s (deadline 3s)", after: 3 * time.Second, attempts: 1,
		},
		"a deadline after a failure": {
			settings: Settings{Deadline: 3 * time.Second, Attempts: 2, Backoff: time.Nanosecond},
			run: func(ctx context.Context, n int) (Spent, error) {
				if n == 1 {
					return Spent{}, failure(0)
				}
				return takes(time.Minute)(ctx, n)
			},
			is: new(*TimeoutError), outcome: agent.Timeout, after: 3 * time.Second, attempts: 2,
			message: "timed out after 3s (deadline 3s), last failure: connection refused",
		},
		"a rate": {
			settings: Settings{RateCalls: 1, RatePer: 8 * time.Second, RateWait: time.Second}, before: []runner{ok}, run: ok,
			is: new(*RateLimitedError), outcome: agent.RateLimited, message: "rate limited by tools.remote.rate, retry after 8s",
		},
		"a rate beyond the deadline": {
			settings: Settings{Deadline: 5 * time.Second, RateCalls: 1, RatePer: 8 * time.Second}, before: []runner{ok}, run: ok,
			is: new(*RateLimitedError), outcome: agent.RateLimited, message: "rate limited by tools.remote.rate, retry after 8s",
		},
		"a retry-after beyond the deadline": {
			settings: Settings{Attempts: 3, Deadline: 10 * time.Second}, run: fails(limited(11 * time.Second)),
			is: new(*RateLimitedError), outcome: agent.RateLimited, attempts: 1,
			message: "rate limited, retry after 11s, last failure: status 429",
		},
		"an open circuit": {
			settings: Settings{BreakerCalls: 4, BreakerFailures: .5, BreakerOpen: time.Minute, BreakerProbes: 1},
			before:   []runner{fails(failure(0)), fails(failure(0))}, run: ok,
			is: new(*CircuitOpenError), outcome: agent.CircuitOpen, message: "circuit open, retry after 1m0s",
		},
		"a budget": {
			settings: Settings{PerRun: Budget{Calls: 1}}, before: []runner{ok}, run: ok,
			is: new(*BudgetError), outcome: agent.BudgetExceeded, message: "budget exceeded: calls per run, limit 1",
		},
		"a budget of time": {
			settings: Settings{PerAgent: Budget{Elapsed: 2 * time.Second}}, run: takes(time.Minute),
			is: new(*BudgetError), outcome: agent.BudgetExceeded, message: "budget exceeded: elapsed per agent, limit 2s", after: 2 * time.Second, attempts: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := engine(t, remote(c.settings))
				for _, run := range c.before {
					once := call("before")
					once.Repeatable = false
					_, _ = e.Do(t.Context(), once, run)
				}
				began := time.Now()
				applied, err := e.Do(t.Context(), call("1"), c.run)
				if !errors.As(err, c.is) {
					t.Fatalf("error %T: %v", err, err)
				}
				if got := time.Since(began); got != c.after {
					t.Errorf("returned after %v, want %v", got, c.after)
				}
				if got := err.(interface{ Outcome() agent.Outcome }).Outcome(); got != c.outcome {
					t.Errorf("outcome %s", got)
				}
				if err.Error() != c.message {
					t.Errorf("message %q, want %q", err, c.message)
				}
				if applied.Attempts != c.attempts || applied.Version != e.version {
					t.Errorf("applied %+v", applied)
				}
				if err := e.Wait(t.Context()); err != nil {
					t.Error(err)
				}
				if s := e.Stats()[0]; s.InUse != 0 || s.Waiting != 0 || s.Abandoned != 0 {
					t.Errorf("left behind: %+v", s)
				}
			})
		})
	}
}

func TestCancellation(t *testing.T) {
	for name, s := range map[string]Settings{
		"while it runs":        {},
		"while it pauses":      {Attempts: 2, Backoff: time.Hour, Deadline: 3 * time.Hour},
		"while it keeps pace":  {RateCalls: 1, RatePer: time.Hour, Deadline: 3 * time.Hour},
		"while it is in queue": {Concurrency: 1, Deadline: 3 * time.Hour},
	} {
		for _, by := range []error{context.Canceled, context.DeadlineExceeded} {
			if errors.Is(by, context.DeadlineExceeded) && (s.Attempts > 0 || s.RateCalls > 0) {
				continue // a wait that is certain to be futile is not begun
			}
			t.Run(name+", "+by.Error(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s.BreakerCalls, s.BreakerFailures, s.BreakerOpen, s.BreakerProbes = 1, 1, time.Hour, 1
					e := engine(t, remote(s))
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					if errors.Is(by, context.Canceled) {
						ctx, cancel = context.WithCancel(t.Context())
						time.AfterFunc(time.Second, cancel)
					}
					defer cancel()
					run := takes(time.Hour)
					switch {
					case s.Attempts > 0:
						run = fails(limited(time.Minute))
					case s.RateCalls > 0:
						if _, err := e.Do(t.Context(), call("first"), ok); err != nil {
							t.Fatal(err)
						}
					case s.Concurrency > 0:
						go func() { _, _ = e.Do(t.Context(), call("first"), takes(2*time.Second)) }()
						synctest.Wait()
					}
					began := time.Now()
					_, err := e.Do(ctx, call("1"), run)
					if !errors.Is(err, by) || err.Error() != by.Error() || time.Since(began) != time.Second {
						t.Fatalf("after %v: %v", time.Since(began), err)
					}
					if got := e.Stats()[0]; got.Breaker != "closed" || got.Outcomes[agent.Cancelled] != 1 {
						t.Errorf("%+v", got)
					}
					time.Sleep(2 * time.Second)
					if got := e.Stats()[0]; got.InUse != 0 || got.Waiting != 0 {
						t.Errorf("left behind: %+v", got)
					}
				})
			})
		}
	}
}

func TestFunctionThatDoesNotReturn(t *testing.T) {
	for name, run := range map[string]runner{
		"a panic":        func(context.Context, int) (Spent, error) { panic("secret " + strings.Repeat("x", 1000)) },
		"a lost routine": func(context.Context, int) (Spent, error) { runtime.Goexit(); return Spent{}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := engine(t, remote(Settings{Attempts: 3, Concurrency: 1, PerRun: Budget{Tokens: 100}}))
				c := call("1")
				c.Estimate.Tokens = 100
				for range 3 {
					applied, err := e.Do(t.Context(), c, run)
					var f *Failure
					if !errors.As(err, &f) || f.Outcome != agent.Execution || applied.Attempts != 1 || len(err.Error()) > 250 {
						t.Fatalf("%d attempts: %v", applied.Attempts, err)
					}
				}
				if s := e.Stats()[0]; s.InUse != 0 {
					t.Errorf("a permit leaked: %+v", s)
				}
			})
		})
	}
}

// TestAbandoned tests that a function that continues to run after its deadline keeps its
// permit and its reservation, and is charged when it ends.
func TestAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, remote(Settings{Deadline: time.Second, Concurrency: 1, QueueWait: time.Millisecond, PerRun: Budget{Tokens: 100}}))
		c := call("1")
		c.Estimate.Tokens = 30
		value, _, err := Run(t.Context(), e, c, func(context.Context, int) (string, Spent, error) {
			time.Sleep(time.Minute)
			return "late", Spent{Tokens: 50}, nil
		})
		var timeout *TimeoutError
		if !errors.As(err, &timeout) || value != "" {
			t.Fatalf("%q, %v", value, err)
		}
		var limit *RateLimitedError
		if _, err := e.Do(t.Context(), call("2"), ok); !errors.As(err, &limit) {
			t.Errorf("the permit was given away: %v", err)
		}
		if s := e.Stats()[0]; s.InUse != 1 || s.Abandoned != 1 || s.Budgets[0].Used.Tokens != 0 {
			t.Errorf("%+v", s)
		}
		if err := e.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s := e.Stats()[0]; s.InUse != 0 || s.Abandoned != 0 || s.Budgets[0].Used.Tokens != 50 {
			t.Errorf("after it ended: %+v", s)
		}
		if _, err := e.Do(t.Context(), call("3"), ok); err != nil {
			t.Error(err)
		}
	})
}

func TestAbandonedAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, remote(Settings{Deadline: time.Second}))
		var ran atomic.Int32
		for range maxAbandoned + 10 {
			_, _ = e.Do(t.Context(), call("1"), func(context.Context, int) (Spent, error) {
				ran.Add(1)
				time.Sleep(time.Hour)
				return Spent{}, nil
			})
		}
		if ran.Load() != maxAbandoned {
			t.Errorf("%d functions that were given up", ran.Load())
		}
		var open *CircuitOpenError
		if _, err := e.Do(t.Context(), call("2"), ok); !errors.As(err, &open) {
			t.Errorf("one more: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := e.Wait(ctx); err == nil {
			t.Error("waited for nothing")
		}
		if err := e.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Do(t.Context(), call("3"), ok); err != nil {
			t.Error(err)
		}
	})
}

// TestAppliedIsTheCallsOwn tests that the settings for one role do not appear in Applied
// for a call by another role.
func TestAppliedIsTheCallsOwn(t *testing.T) {
	e := engine(t, Options{Book: Book{Roles: map[string]Settings{"hasty": {Deadline: time.Second}, "narrow": {Concurrency: 2}}}})
	origins := func(agent string) map[string]string {
		c := call("1")
		c.Agent = agent
		applied, err := e.Do(t.Context(), c, ok)
		if err != nil {
			t.Fatal(err)
		}
		m := map[string]string{}
		for _, v := range applied.Values {
			m[v.Setting] = v.Value + " " + v.Origin
		}
		return m
	}
	for range 2 { // the second time, the result is from the cache
		for agent, want := range map[string]map[string]string{
			"hasty":  {"deadline": "1s role hasty", "attempts": "1 built in"},
			"narrow": {"deadline": "10s built in", "attempts": "1 built in", "concurrency": "2 role narrow"},
			"clerk":  {"deadline": "10s built in", "attempts": "1 built in"},
		} {
			if diff := cmp.Diff(want, origins(agent)); diff != "" {
				t.Error(diff)
			}
		}
	}
}

func TestRunHandsItsValueOver(t *testing.T) {
	e := engine(t, remote(Settings{Attempts: 2}))
	got, applied, err := Run(t.Context(), e, call("1"), func(_ context.Context, n int) (int, Spent, error) {
		if n == 1 {
			return 1, Spent{}, failure(0)
		}
		return n, Spent{}, errDown
	})
	if got != 2 || applied.Attempts != 2 || !errors.Is(err, errDown) {
		t.Errorf("%d after %d attempts: %v", got, applied.Attempts, err)
	}
	got, _, err = Run(t.Context(), e, call("2"), func(context.Context, int) (int, Spent, error) {
		return 3, Spent{}, limited(time.Hour)
	})
	if got != 0 || OutcomeOf(err) != agent.RateLimited {
		t.Errorf("%d with an error of the policies: %v", got, err)
	}
}

// TestUnknownIsRefused tests that calls with unknown kinds, names and origins are refused
// and never run without limits.
func TestUnknownIsRefused(t *testing.T) {
	good := call("1")
	for name, change := range map[string]func(*Call){
		"kind":               func(c *Call) { c.Kind = "robot" },
		"no kind":            func(c *Call) { c.Kind = "" },
		"no name":            func(c *Call) { c.Name = "" },
		"origin":             func(c *Call) { c.Origin = "elsewhere" },
		"no origin":          func(c *Call) { c.Origin = "" },
		"server without one": func(c *Call) { c.Origin = "mcp:" },
		"tokens":             func(c *Call) { c.Estimate.Tokens = -1 },
		"money":              func(c *Call) { c.Estimate.USD = math.NaN() },
	} {
		t.Run(name, func(t *testing.T) {
			e := engine(t, Options{})
			c := good
			change(&c)
			applied, err := e.Do(t.Context(), c, func(context.Context, int) (Spent, error) {
				t.Error("it ran")
				return Spent{}, nil
			})
			if err == nil || applied.Attempts != 0 || !strings.HasPrefix(err.Error(), "policy: ") {
				t.Errorf("error %v", err)
			}
		})
	}
	// A book may hold settings that are incoherent for some origins. Only calls to those
	// origins fail.
	e := engine(t, Options{Book: Book{Tools: map[string]Settings{"grep": {BreakerFailures: .1}}}})
	c := Call{Kind: Tool, Name: "grep", Origin: "mcp:files"}
	if _, err := e.Do(t.Context(), c, ok); err != nil {
		t.Errorf("it completes the breaker of its origin: %v", err)
	}
	c.Origin = local
	if _, err := e.Do(t.Context(), c, ok); err == nil {
		t.Error("half a breaker is none")
	}
}
