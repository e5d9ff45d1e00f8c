package policy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
)

func spends(s Spent) runner {
	return func(context.Context, int) (Spent, error) { return s, nil }
}

func TestBudgets(t *testing.T) {
	for name, c := range map[string]struct {
		settings Settings
		estimate Spent
		spent    Spent
		calls    int // number of calls that are allowed
		message  string
	}{
		"calls of the run":       {settings: Settings{PerRun: Budget{Calls: 3}}, calls: 3, message: "budget exceeded: calls per run, limit 3"},
		"tokens of the agent":    {settings: Settings{PerAgent: Budget{Tokens: 100}}, spent: Spent{Tokens: 40}, calls: 3, message: "budget exceeded: tokens per agent, limit 100"},
		"an estimate that fits":  {settings: Settings{PerAgent: Budget{Tokens: 100}}, estimate: Spent{Tokens: 20}, spent: Spent{Tokens: 40}, calls: 3, message: "budget exceeded: tokens per agent, limit 100"},
		"one that does not":      {settings: Settings{PerAgent: Budget{Tokens: 100}}, estimate: Spent{Tokens: 21}, spent: Spent{Tokens: 40}, calls: 2, message: "budget exceeded: tokens per agent, limit 100"},
		"money of the day":       {settings: Settings{PerDay: Budget{USD: .3}}, estimate: Spent{USD: .1}, spent: Spent{USD: .1}, calls: 3, message: "budget exceeded: usd per day, limit 0.3"},
		"a refund":               {settings: Settings{PerDay: Budget{Tokens: 100}}, spent: Spent{Tokens: -50}, calls: 1, message: "budget exceeded: tokens per day, limit 100"},
		"a price that is none":   {settings: Settings{PerDay: Budget{USD: 100}}, spent: Spent{USD: math.NaN()}, calls: 1, message: "budget exceeded: usd per day, limit 100"},
		"a sum beyond all":       {settings: Settings{PerDay: Budget{Tokens: math.MaxInt64}}, spent: Spent{Tokens: math.MaxInt64 - 1}, calls: 2, message: "budget exceeded: tokens per day, limit 9223372036854775807"},
		"an estimate beyond all": {settings: Settings{PerRun: Budget{Tokens: 10}}, estimate: Spent{Tokens: 11}, message: "budget exceeded: tokens per run, limit 10"},
	} {
		t.Run(name, func(t *testing.T) {
			e := engine(t, remote(c.settings))
			in := call("1")
			in.Estimate = c.estimate
			for i := range 10 {
				_, err := e.Do(t.Context(), in, spends(c.spent))
				if (err == nil) != (i < c.calls) {
					t.Fatalf("call %d: %v", i+1, err)
				}
				if err != nil && err.Error() != c.message {
					t.Fatalf("message %q", err)
				}
			}
		})
	}
}

// TestBudgetUnderConcurrency tests that 64 concurrent callers never exceed the budget if
// their estimates are correct.
func TestBudgetUnderConcurrency(t *testing.T) {
	const each = 7
	for name, budget := range map[string]Budget{
		"calls": {Calls: 50}, "tokens": {Tokens: 50*each + 3}, "usd": {USD: .5},
	} {
		t.Run(name, func(t *testing.T) {
			e := engine(t, remote(Settings{PerRun: budget, PerAgent: Budget{Calls: 20}}))
			var all sync.WaitGroup
			var mu sync.Mutex
			ran := 0
			for g := range 64 {
				all.Go(func() {
					for i := range 10 {
						c := call(fmt.Sprint(g, i))
						c.Agent = fmt.Sprint(g % 8)
						c.Estimate = Spent{Tokens: each, USD: .01}
						_, err := e.Do(t.Context(), c, func(context.Context, int) (Spent, error) {
							mu.Lock()
							ran++
							mu.Unlock()
							return c.Estimate, nil
						})
						var spent *BudgetError
						if err != nil && !errors.As(err, &spent) {
							t.Error(err)
						}
					}
				})
			}
			all.Wait()
			if ran != 50 {
				t.Errorf("%d calls ran", ran)
			}
			for _, b := range e.Stats()[0].Budgets {
				if b.Scope == "agent" && b.Used.Calls > 20 || b.Scope == "run" && (b.Used.Calls != 50 || b.Used.Tokens != 50*each) {
					t.Errorf("%+v", b)
				}
			}
		})
	}
}

// TestElapsedIsNotOvershot tests that a time budget is exact although the duration of calls
// is not known in advance.
func TestElapsedIsNotOvershot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, remote(Settings{Deadline: time.Hour, PerRun: Budget{Elapsed: 100 * time.Second}}))
		var all sync.WaitGroup
		var mu sync.Mutex
		outcomes := map[agent.Outcome]int{}
		for i := range 8 {
			all.Go(func() {
				time.Sleep(time.Duration(i) * time.Second)
				err := do(t, e, takes(time.Duration(10+i)*time.Second))
				mu.Lock()
				outcomes[OutcomeOf(err)]++
				mu.Unlock()
			})
		}
		all.Wait()
		got := e.Stats()[0].Budgets[0].Used.Elapsed
		if got < 100*time.Second || got > 100*time.Second+8 { // one nanosecond for each running attempt
			t.Errorf("spent %v", got)
		}
		if outcomes[agent.OK] == 0 || outcomes[agent.BudgetExceeded] == 0 || outcomes[agent.OK]+outcomes[agent.BudgetExceeded] != 8 {
			t.Errorf("outcomes %v", outcomes)
		}
		if err := do(t, e, ok); OutcomeOf(err) != agent.BudgetExceeded {
			t.Errorf("one more: %v", err)
		}
	})
}

func TestRetryIsPaidFor(t *testing.T) {
	e := engine(t, remote(Settings{Attempts: 5, PerRun: Budget{Calls: 2}}))
	applied, err := e.Do(t.Context(), call("1"), fails(failure(0)))
	var spent *BudgetError
	if !errors.As(err, &spent) || !errors.Is(err, errDown) || applied.Attempts != 2 {
		t.Errorf("%d attempts: %v", applied.Attempts, err)
	}
}

func TestDegrade(t *testing.T) {
	e := engine(t, Options{Book: Book{Providers: map[string]Settings{
		"big":   {PerRun: Budget{Calls: 1}, Exhausted: Degrade, DegradedTo: "small"},
		"lost":  {PerRun: Budget{Calls: 1}, Exhausted: Degrade},
		"firm":  {PerRun: Budget{Calls: 1}, DegradedTo: "small"},
		"small": {PerRun: Budget{Calls: 1}},
		"free":  {PerRun: Budget{Calls: 1}},
	}, Environment: Settings{Exhausted: Deny}, Roles: map[string]Settings{"odd": {Exhausted: Degrade, DegradedTo: "free"}}, Tools: map[string]Settings{"big": {PerRun: Budget{Calls: 1}, Exhausted: Degrade, DegradedTo: "small"}}}})
	for _, c := range []struct {
		call Call
		to   string
	}{
		{Call{Kind: Provider, Name: "big"}, "small"},
		{Call{Kind: Provider, Name: "lost"}, ""},
		{Call{Kind: Provider, Name: "firm"}, ""},
		{Call{Kind: Tool, Name: "big", Origin: local}, ""},
		{Call{Kind: Provider, Name: "free", Agent: "odd"}, ""},
		{Call{Kind: Provider, Name: "small", Agent: "odd"}, "free"},
	} {
		_, _ = e.Do(t.Context(), c.call, ok)
		applied, err := e.Do(t.Context(), c.call, func(context.Context, int) (Spent, error) {
			t.Error("it ran")
			return Spent{}, nil
		})
		var spent *BudgetError
		if !errors.As(err, &spent) || spent.DegradedTo != c.to || applied.Degraded != c.to {
			t.Errorf("%+v: degraded to %q: %v", c.call, applied.Degraded, err)
		}
	}
	// The error of a nested guarded call is returned unchanged.
	inner := &BudgetError{Scope: "run", What: "calls", Limit: "1"}
	if applied, err := e.Do(t.Context(), Call{Kind: Provider, Name: "other"}, fails(inner)); !errors.Is(err, inner) || applied.Degraded != "" || inner.Err != nil {
		t.Errorf("%v, %+v", err, applied)
	}
}

func TestDay(t *testing.T) {
	asked := 0
	synctest.Test(t, func(t *testing.T) { // begins at midnight UTC
		o := remote(Settings{PerDay: Budget{Calls: 10, USD: 5}, PerRun: Budget{Calls: 12}})
		o.Day = func(kind Kind, name string) Usage {
			asked++
			if kind != Tool || name != "remote" {
				t.Errorf("asked for %s %s", kind, name)
			}
			return Usage{Calls: 8, USD: 1.5}
		}
		e := engine(t, o)
		for i := range 3 {
			if err := do(t, e, ok); (err == nil) != (i < 2) {
				t.Fatalf("call %d: %v", i+1, err)
			}
		}
		want := []BudgetStat{
			{Scope: "run", Used: Usage{Calls: 2}, Limit: Budget{Calls: 12}},
			{Scope: "day", Used: Usage{Calls: 10, USD: 1.5}, Limit: Budget{Calls: 10, USD: 5}},
		}
		if diff := cmp.Diff(want, e.Stats()[0].Budgets); diff != "" {
			t.Error(diff)
		}
		time.Sleep(24 * time.Hour)
		for i := range 11 {
			if err := do(t, e, ok); (err == nil) != (i < 10) {
				t.Fatalf("call %d of the next day: %v", i+1, err)
			}
		}
	})
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

// TestResumedRun checks that the budgets of a run and of an agent in that run include what
// earlier processes of the run spent.
func TestResumedRun(t *testing.T) {
	for name, s := range map[string]Settings{"run": {PerRun: Budget{Calls: 10}}, "agent": {PerAgent: Budget{Calls: 10}}} {
		o := remote(s)
		o.Run = func(Kind, string) (Usage, map[string]Usage) {
			return Usage{Calls: 8}, map[string]Usage{call("1").Agent: {Calls: 8}}
		}
		e := engine(t, o)
		for i := range 3 {
			if err := do(t, e, ok); (err == nil) != (i < 2) {
				t.Errorf("%s, call %d: %v", name, i+1, err)
			}
		}
	}
}

func TestAmountsSaturate(t *testing.T) {
	a := cost(Spent{Tokens: math.MaxInt64 - 1, USD: 1e9})
	a.add(cost(Spent{Tokens: 5, USD: math.Inf(1)}))
	if want := (amount{calls: 2, tokens: math.MaxInt64, nanos: math.MaxInt64}); a != want {
		t.Errorf("%+v", a)
	}
	if got, want := cost(Spent{Tokens: -1, USD: -1}), (amount{calls: 1, tokens: math.MaxInt64, nanos: math.MaxInt64}); got != want {
		t.Errorf("what was earned is charged as %+v", got)
	}
}

// TestReservationOfOneThatNeverRan tests that the reservation for an attempt that never ran
// is released.
func TestReservationOfOneThatNeverRan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, remote(Settings{PerRun: Budget{Calls: 2}, RateCalls: 1, RatePer: time.Hour, RateWait: time.Second}))
		for i := range 4 {
			err := do(t, e, ok)
			if want := []agent.Outcome{agent.OK, agent.RateLimited, agent.RateLimited, agent.RateLimited}[i]; OutcomeOf(err) != want {
				t.Errorf("call %d: %v", i+1, err)
			}
		}
		time.Sleep(time.Hour)
		if err := do(t, e, ok); err != nil {
			t.Error(err)
		}
	})
}

// TestElapsedWhileWaiting tests that if a time budget runs out while an attempt waits, the
// attempt is refused and its reservation and permit are released.
func TestElapsedWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, remote(Settings{Deadline: time.Hour, Concurrency: 1, PerRun: Budget{Elapsed: 10 * time.Second, Tokens: 100}}))
		go func() { _ = do(t, e, deaf(12*time.Second)) }()
		time.Sleep(time.Second)
		c := call("2")
		c.Estimate.Tokens = 60
		if _, err := e.Do(t.Context(), c, ok); OutcomeOf(err) != agent.BudgetExceeded {
			t.Error(err)
		}
		s := e.Stats()[0]
		if s.InUse != 0 || s.Budgets[0].Used.Calls != 1 {
			t.Errorf("left behind: %+v", s)
		}
		for _, a := range e.targets {
			if a.spending.run.held != (amount{}) {
				t.Errorf("still set aside: %+v", a.spending.run.held)
			}
		}
	})
}

// TestUnreadableDay tests that an invalid record of earlier usage counts as the whole
// budget.
func TestUnreadableDay(t *testing.T) {
	for _, u := range []Usage{{Calls: -1}, {USD: math.NaN()}, {USD: -1}, {Elapsed: -1}, {Tokens: -1}} {
		o := remote(Settings{PerDay: Budget{Calls: 1e9, USD: 1e6, Tokens: 1e9, Elapsed: 1e6 * time.Hour}})
		o.Day = func(Kind, string) Usage { return u }
		if err := do(t, engine(t, o), ok); OutcomeOf(err) != agent.BudgetExceeded {
			t.Errorf("%+v: %v", u, err)
		}
	}
}
