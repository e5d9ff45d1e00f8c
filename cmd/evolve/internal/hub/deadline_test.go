package hub

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"evolve/runtime/agent"
)

// TestDeadline checks that a worker does not begin a job whose deadline has passed by the
// worker's clock, and begins jobs with a later deadline or none.
func TestDeadline(t *testing.T) {
	w := newWorld(t)
	r := w.coordinate(offer())
	var calls atomic.Int64
	m := &tally{answered: map[agent.Outcome]int{}, unanswered: map[Unanswered]int{}}
	h := w.connect("ahead")
	h.o.Now = func() time.Time { return time.Now().Add(2 * time.Hour) }
	w.workOn(h, &Worker{Name: "ahead", Binary: program, Slots: 1, Meter: m}, func(ctx context.Context, req agent.Request) agent.Result {
		calls.Add(1)
		return echo(ctx, req)
	})
	late, giveUp := context.WithTimeout(t.Context(), time.Hour)
	defer giveUp()
	got := make(chan agent.Result)
	go func() { got <- r.Run(evaluating(late, 1), request(1)) }()
	for m.count(Withdrawn) == 0 && calls.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	if calls.Load() != 0 {
		t.Fatal("the worker began a job after its deadline")
	}
	early, stop := context.WithTimeout(t.Context(), 3*time.Hour)
	defer stop()
	for n, ctx := range []context.Context{early, t.Context()} {
		if res := r.Run(evaluating(ctx, int64(2+n)), request(2+n)); res.Outcome != agent.OK {
			t.Errorf("job %d ended with %+v", n, res)
		}
		r.Recorded(int64(2 + n))
	}
	giveUp()
	if res := <-got; res.Outcome != agent.Cancelled {
		t.Errorf("the late job ended with %+v", res)
	}
	r.untilEmpty(t)
}

// TestExpired checks that the clocks of a run and a worker may differ by a minute, and that a
// header without a time sets no deadline.
func TestExpired(t *testing.T) {
	at := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	for header, want := range map[string]bool{
		"": false, "soon": false, at.Format(time.RFC3339Nano): false, at.Add(-clockSkew).Format(time.RFC3339Nano): false,
		at.Add(-clockSkew - 1).Format(time.RFC3339Nano): true, at.Add(time.Hour).Format(time.RFC3339Nano): false,
	} {
		if got := expired(header, at); got != want {
			t.Errorf("%q has expired: %v", header, got)
		}
	}
}
