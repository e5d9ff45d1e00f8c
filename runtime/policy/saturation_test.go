package policy

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"evolve/runtime/agent"
)

// TestSaturation tests how long limits and a breaker delayed calls, and that simultaneous
// waits count only once.
func TestSaturation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, Options{Book: Book{Tools: map[string]Settings{
			"queued": {Concurrency: 1, Deadline: time.Hour},
			"paced":  {RateCalls: 1, RatePer: 10 * time.Second, Deadline: time.Hour},
			"broken": {BreakerCalls: 1, BreakerFailures: 1, BreakerOpen: 30 * time.Second, BreakerProbes: 1, Deadline: time.Hour},
		}}})
		call := func(name string, run runner) {
			_, _ = e.Do(t.Context(), Call{Kind: Tool, Name: name, Origin: local, Agent: "clerk"}, run)
		}
		together := func(n int, name string, run runner) {
			var wg sync.WaitGroup
			for range n {
				wg.Go(func() { call(name, run) })
			}
			wg.Wait()
		}
		together(3, "queued", takes(10*time.Second)) // two calls wait, for 10 s and 20 s
		together(3, "paced", ok)                     // the same
		call("broken", fails(errDown))
		call("broken", fails(failure(0)))
		time.Sleep(10 * time.Second)
		got := map[string]Stat{}
		for _, s := range e.Stats() {
			got[s.Name] = s
		}
		if s := got["queued"]; s.QueueWait != 30*time.Second || s.QueueBound != 20*time.Second || s.RateWait != 0 || s.RateBound != 0 || s.Over != 60*time.Second {
			t.Errorf("the queue has waits of %s in %s of %s", s.QueueWait, s.QueueBound, s.Over)
		}
		if s := got["paced"]; s.RateWait != 30*time.Second || s.RateBound != 20*time.Second || s.QueueWait != 0 {
			t.Errorf("the rate has waits of %s in %s", s.RateWait, s.RateBound)
		}
		if s := got["broken"]; s.Opened != 1 || s.Open != 10*time.Second {
			t.Errorf("the breaker opened %d times, for %s", s.Opened, s.Open)
		}
		time.Sleep(time.Hour) // the breaker refuses calls for 30 s; a failed probe opens it again
		call("broken", fails(failure(0)))
		call("broken", ok)
		time.Sleep(time.Hour)
		call("broken", ok)
		for _, s := range e.Stats() {
			if s.Name == "broken" && (s.Opened != 2 || s.Open != time.Minute || s.Refused() != 1) {
				t.Errorf("the breaker opened %d times, for %s, and refused %v", s.Opened, s.Open, s.Outcomes)
			}
		}
	})
}

// TestWaitingIsBound tests that the statistics count waits that are still in progress,
// including waits for the tools of a server.
func TestWaitingIsBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, Options{Book: Book{Origins: map[string]Settings{"mcp:x": {Concurrency: 1, QueueWait: time.Hour, Deadline: time.Hour, RateCalls: 1000, RatePer: time.Second}}}})
		ctx, stop := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for _, name := range []string{"a", "b"} {
			wg.Go(func() {
				_, _ = e.Do(ctx, Call{Kind: Tool, Name: name, Origin: "mcp:x", Agent: "clerk"}, takes(time.Hour))
			})
			synctest.Wait()
		}
		time.Sleep(5 * time.Second)
		if s := e.Stats()[1]; s.QueueBound != 5*time.Second || s.QueueWait != 0 {
			t.Errorf("b waited for %s, and waits for %s", s.QueueWait, s.QueueBound)
		}
		stop()
		wg.Wait()
		if s := e.Stats()[1]; s.QueueBound != 5*time.Second || s.QueueWait != 5*time.Second {
			t.Errorf("b waited for %s in %s", s.QueueWait, s.QueueBound)
		}
	})
}

// TestSaturationAdds tests that adding does not change the summands.
func TestSaturationAdds(t *testing.T) {
	a := Saturation{Kind: Tool, Name: "x", Calls: 1, Outcomes: map[agent.Outcome]int64{agent.OK: 1}, RateWait: time.Second, Over: 1 << 62}
	sum := a.Plus(a).Plus(Saturation{Outcomes: map[agent.Outcome]int64{agent.CircuitOpen: 3}, Opened: 1})
	if sum.Calls != 2 || sum.Outcomes[agent.OK] != 2 || sum.Refused() != 3 || sum.Opened != 1 || sum.RateWait != 2*time.Second || sum.Over < 1<<62 {
		t.Errorf("the sum is %+v", sum)
	}
	if a.Outcomes[agent.OK] != 1 || !a.Same(sum) {
		t.Errorf("a part is %+v", a)
	}
}
