package hub

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/policy"
)

// calling runs tasks that make one call to a provider each, under an engine of their own.
func calling(t *testing.T, book policy.Book, call func(ctx context.Context, attempt int) (policy.Spent, error)) func(context.Context, agent.Request) agent.Result {
	t.Helper()
	own, err := policy.New(policy.Options{Book: book})
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, req agent.Request) agent.Result {
		var waits policy.Waits
		applied, err := own.Do(policy.WithWaits(ctx, &waits), policy.Call{Kind: policy.Provider, Name: "remote", Agent: "clerk", ID: req.ID, Repeatable: true}, call)
		res := agent.Result{Outcome: agent.OK, Usage: agent.Usage{Iterations: applied.Attempts}, Waited: waits.Total(time.Now())}
		if refused := policy.Refused(policy.Provider, "remote", err); err != nil {
			res.Outcome, res.Error, res.Refused = agent.Execution, err.Error(), refused
			var f *policy.Failure
			if errors.As(err, &f) {
				res.Outcome = f.Outcome
			}
		}
		return res
	}
}

// guarded makes an offer whose calls are limited by an engine with this book.
func (w *world) guarded(book policy.Book) *Remote {
	w.t.Helper()
	guard, err := policy.New(policy.Options{Book: book})
	if err != nil {
		w.t.Fatal(err)
	}
	r, err := w.connect("coordinator").Offer(w.t.Context(), offer(), nil, []byte("key"), guard)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(r.Close)
	return r
}

// TestLimitsOfAllWorkers tests that a concurrency limit holds over all workers together.
func TestLimitsOfAllWorkers(t *testing.T) {
	w := newWorld(t)
	book := policy.Book{Providers: map[string]policy.Settings{"remote": {Concurrency: 2}}}
	r := w.guarded(book)
	var now, most atomic.Int64
	for _, name := range []string{"a", "b", "c"} {
		w.work(name, 4, calling(t, book, func(context.Context, int) (policy.Spent, error) {
			n := now.Add(1)
			for top := most.Load(); n > top && !most.CompareAndSwap(top, n); top = most.Load() {
			}
			time.Sleep(5 * time.Millisecond) // long enough for the others to arrive
			now.Add(-1)
			return policy.Spent{Tokens: 1}, nil
		}))
	}
	for i, res := range ask(t.Context(), r, 40) {
		if res.Outcome != agent.OK || res.Usage.Iterations != 1 {
			t.Fatalf("task %d ended with %+v", i, res)
		}
	}
	if most.Load() != 2 {
		t.Errorf("%d calls ran at once, want 2", most.Load())
	}
}

// TestBudgetOfAllWorkers tests that a budget of calls holds over all workers together, and
// that the refusal reaches the run.
func TestBudgetOfAllWorkers(t *testing.T) {
	w := newWorld(t)
	book := policy.Book{Providers: map[string]policy.Settings{"remote": {PerRun: policy.Budget{Calls: 7}}}}
	r := w.guarded(book)
	var calls atomic.Int64
	for _, name := range []string{"a", "b", "c"} {
		w.work(name, 2, calling(t, book, func(context.Context, int) (policy.Spent, error) {
			calls.Add(1)
			return policy.Spent{}, nil
		}))
	}
	spent := 0
	for _, res := range ask(t.Context(), r, 20) {
		if res.Refused != nil && res.Refused.Spent {
			spent++
		}
	}
	if calls.Load() != 7 || spent != 13 {
		t.Errorf("%d calls were made and %d refused, want 7 and 13", calls.Load(), spent)
	}
}

// TestAttemptsOfCalls tests that the coordinator's policies repeat a call, that the
// failure of the last attempt is returned as the failure of the call, and that a call
// ends with its task.
func TestAttemptsOfCalls(t *testing.T) {
	w := newWorld(t)
	book := policy.Book{Providers: map[string]policy.Settings{"remote": {Attempts: 3, Backoff: time.Millisecond, MaxBackoff: time.Millisecond}}}
	r := w.guarded(book)
	var mu sync.Mutex
	fails := 2
	w.work("a", 1, calling(t, book, func(context.Context, int) (policy.Spent, error) {
		mu.Lock()
		defer mu.Unlock()
		if fails--; fails >= 0 {
			return policy.Spent{}, &policy.Failure{Outcome: agent.Timeout, Retry: true, Err: errors.New("too slow")}
		}
		return policy.Spent{}, nil
	}))
	if res := r.Run(evaluating(t.Context(), 1), request(1)); res.Outcome != agent.OK || res.Usage.Iterations != 3 {
		t.Errorf("ended with %+v, want the third attempt", res)
	}
	mu.Lock()
	fails = 9
	mu.Unlock()
	if res := r.Run(evaluating(t.Context(), 2), request(2)); res.Outcome != agent.Timeout || res.Error != "too slow" {
		t.Errorf("ended with %s %q, want the call's own failure", res.Outcome, res.Error)
	}
}

// TestCallsOfNoTask tests that no call is leased for a task that is not under way.
func TestCallsOfNoTask(t *testing.T) {
	w := newWorld(t)
	r := w.guarded(policy.Book{})
	l := lessee{w.connect("forger"), r.token, &job{ID: "0123", Digest: "4567"}, noMeter{}}
	ran := false
	_, err := l.Lease(t.Context(), policy.Call{Kind: policy.Provider, Name: "remote"}, func(context.Context, int) (policy.Spent, error) {
		ran = true
		return policy.Spent{}, nil
	})
	if err == nil || ran {
		t.Errorf("the call ran: %t, %v", ran, err)
	}
}
