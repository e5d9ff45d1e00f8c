package hub

import (
	"context"
	"sync"
	"testing"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/policy"
)

// tally is a [Meter] for tests.
type tally struct {
	mu         sync.Mutex
	answered   map[agent.Outcome]int
	unanswered map[Unanswered]int
	took       time.Duration
	leases     int
	waited     time.Duration
}

func (m *tally) Answered(o agent.Outcome, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answered[o]++
	m.took += took
}

func (m *tally) Unanswered(why Unanswered) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.unanswered[why]++
}

func (m *tally) Leased(_ policy.Kind, waited time.Duration, failed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !failed {
		m.leases++
		m.waited += waited
	}
}

// TestMeter checks that a worker counts answers, tasks that are withdrawn or given back,
// and the waits of calls for the run's limits.
func TestMeter(t *testing.T) {
	w := newWorld(t)
	book := policy.Book{Providers: map[string]policy.Settings{"remote": {Concurrency: 1}}}
	r := w.guarded(book)
	m := &tally{answered: map[agent.Outcome]int{}, unanswered: map[Unanswered]int{}}
	hold, began := make(chan struct{}), make(chan struct{}, 8)
	call := calling(t, book, func(context.Context, int) (policy.Spent, error) { return policy.Spent{}, nil })
	k := &Worker{Name: "a", Binary: program, Slots: 8, Meter: m}
	c := w.workAs(k, func(ctx context.Context, req agent.Request) agent.Result {
		if req.Seed < 100 {
			return call(ctx, req)
		}
		began <- struct{}{}
		select {
		case <-hold:
		case <-ctx.Done():
		}
		return agent.Result{Outcome: agent.Cancelled}
	})
	for i := range 5 {
		if res := r.Run(evaluating(t.Context(), int64(i)), request(i)); res.Outcome != agent.OK {
			t.Fatalf("a task ended with %s %q", res.Outcome, res.Error)
		}
	}
	if s := k.State(); s.Slots != 8 || !s.Connected || s.Served != 1 || s.Refused != 0 {
		t.Errorf("the worker is %+v", s)
	}
	ctx, cancel := context.WithCancel(evaluating(t.Context(), 100))
	gone := make(chan agent.Result)
	go func() { gone <- r.Run(ctx, request(100)) }()
	<-began
	if s := k.State(); s.Busy < 1 {
		t.Errorf("with a task the worker is %+v", s)
	}
	cancel()
	<-gone
	for k.State().Busy > 0 { // the cancellation is on its way
		time.Sleep(time.Millisecond)
	}
	back, drop := context.WithCancel(evaluating(t.Context(), 101))
	go func() { gone <- r.Run(back, request(101)) }()
	<-began
	c.stop()
	c.hurry()
	err := <-c.done
	c.done <- err // for the end of the test
	drop()
	<-gone
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.answered[agent.OK] != 5 || m.leases != 5 || m.took <= 0 || m.unanswered[Withdrawn] != 1 || m.unanswered[GivenBack] != 1 {
		t.Errorf("it counts %+v", m)
	}
}

// count returns the number of tasks that ended without an answer for the given reason.
func (m *tally) count(why Unanswered) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.unanswered[why]
}
