package hub

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"evolve/runtime/agent"
	"evolve/runtime/policy"
)

// draining returns a context for evaluations, and a function that prevents further
// evaluations from beginning.
func draining(t *testing.T) (context.Context, context.CancelFunc) {
	waiting, drain := context.WithCancel(t.Context())
	return policy.WithWaiting(t.Context(), waiting), drain
}

// start runs a task in the background.
func start(ctx context.Context, r *Remote, n int) <-chan agent.Result {
	got := make(chan agent.Result, 1)
	go func() { got <- r.Run(evaluating(ctx, int64(n)), request(n)) }()
	return got
}

func untilPublished(r *Remote, n int) {
	for r.Stats().Published < n {
		time.Sleep(time.Millisecond)
	}
}

// TestDrainWithdrawsWhatNoWorkerBegan checks that the end of evaluations withdraws the jobs
// in the queue and lets a worker finish the jobs that it has, even if the worker itself is
// ending.
func TestDrainWithdrawsWhatNoWorkerBegan(t *testing.T) {
	for name, ending := range map[string]bool{"worker": false, "ending worker": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			r := w.coordinate(offer())
			ctx, drain := draining(t)
			entered, hold := make(chan struct{}), make(chan struct{})
			c := w.work("w", 1, func(ctx context.Context, req agent.Request) agent.Result {
				close(entered)
				<-hold
				return echo(ctx, req)
			})
			first := start(ctx, r, 0)
			<-entered
			second, third := start(ctx, r, 1), start(ctx, r, 2)
			untilPublished(r, 3)
			if ending {
				c.stop()
			}
			drain()
			for _, res := range []agent.Result{<-second, <-third} {
				if res.Outcome != agent.Cancelled {
					t.Errorf("a task in the queue ended with %s: %s", res.Outcome, res.Error)
				}
			}
			if there, err := c.hub.Workers(t.Context()); err != nil || len(there) != 1 || len(there[0].Serves) != 1 {
				t.Errorf("with a task under way, the workers are %+v, %v", there, err)
			}
			close(hold)
			checkEchoes(t, []agent.Result{<-first})
			r.Recorded(0)
			r.untilEmpty(t)
		})
	}
}

// TestDrainWithoutWorkers checks that when evaluations end, those that no worker serves
// end too, including an evaluation that comes too late. If an answer to one of them
// nevertheless arrives, the next process of the run must use it.
func TestDrainWithoutWorkers(t *testing.T) {
	w := newWorld(t)
	o := offer()
	r := w.coordinate(o)
	ctx, drain := draining(t)
	got := start(ctx, r, 0)
	untilPublished(r, 1)
	work, err := r.hub.js.Stream(t.Context(), workStream)
	if err != nil {
		t.Fatal(err)
	}
	m, err := work.GetLastMsgForSubject(t.Context(), workSubject+r.token)
	if err != nil {
		t.Fatal(err)
	}
	var j job
	if err := json.Unmarshal(m.Data, &j); err != nil {
		t.Fatal(err)
	}
	drain()
	for _, res := range []agent.Result{<-got, r.Run(evaluating(ctx, 1), request(1))} {
		if res.Outcome != agent.Cancelled {
			t.Errorf("ended with %s: %s", res.Outcome, res.Error)
		}
	}
	if info, err := work.Info(t.Context()); err != nil || info.State.Msgs != 0 {
		t.Errorf("the queue has %+v, %v", info, err)
	}
	if got := r.Stats().Published; got != 1 {
		t.Errorf("%d jobs were published, with one that came too late", got)
	}
	text := "late"
	late, err := json.Marshal(answer{ID: j.ID, Job: j.Digest, Worker: "w", Delivery: 1, Result: agent.Result{Outcome: agent.OK, Answer: &text}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.hub.js.Publish(t.Context(), answerSubject+r.token, late); err != nil {
		t.Fatal(err)
	}
	for r.earlier() == 0 {
		if s := r.Stats(); s.Repeated+s.Ignored > 0 {
			t.Fatalf("the late answer is lost: %+v", s)
		}
		time.Sleep(time.Millisecond)
	}
	r.Close()
	again := w.coordinate(o)
	for again.earlier() == 0 {
		time.Sleep(time.Millisecond)
	}
	if res := again.Run(evaluating(t.Context(), 0), request(0)); res.Outcome != agent.OK || *res.Answer != text {
		t.Errorf("the next process ended with %s: %s", res.Outcome, res.Error)
	}
}

// TestDrainWhilePublishing checks that a job is withdrawn even if evaluations end between
// the job's message and the receipt.
func TestDrainWhilePublishing(t *testing.T) {
	w := newWorld(t)
	r := w.coordinate(offer())
	var drain context.CancelFunc
	if _, err := r.hub.nc.Subscribe(workSubject+r.token, func(*nats.Msg) { drain() }); err != nil {
		t.Fatal(err)
	}
	for n := range 50 {
		var ctx context.Context
		ctx, drain = draining(t)
		if res := r.Run(evaluating(ctx, int64(n)), request(n)); res.Outcome != agent.Cancelled {
			t.Fatalf("ended with %s: %s", res.Outcome, res.Error)
		}
		r.untilEmpty(t)
	}
	if got := r.Stats().Published; got != 50 {
		t.Errorf("%d of 50 jobs were published", got)
	}
}

// TestDrainAfterDeath checks that a job whose worker was lost is withdrawn once no worker
// serves the agent, and not earlier.
func TestDrainAfterDeath(t *testing.T) {
	w := newWorld(t)
	r := w.coordinate(offer())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	entered := make(chan struct{})
	c := w.work("w", 1, func(ctx context.Context, _ agent.Request) agent.Result {
		close(entered)
		<-ctx.Done()
		return agent.Result{Outcome: agent.Cancelled}
	})
	got := start(ctx, r, 0)
	<-entered
	for there := 0; there == 0; time.Sleep(time.Millisecond) {
		r.mu.Lock()
		there = r.served()
		r.mu.Unlock()
	}
	c.kill()
	name := jobName{0, 1, 0}
	id := r.names.id(name)
	r.mu.Lock()
	p := r.waiting[id]
	r.mu.Unlock()
	if r.withdraw(t.Context(), id, name, p) || r.abandon(id, name, p) {
		t.Error("withdrawn while its worker counts as there")
	}
	r.hub.o.Now = func() time.Time { return time.Now().Add(2 * presenceAge) }
	r.forget()
	if !r.abandon(id, name, p) {
		t.Error("not withdrawn without a worker")
	}
	cancel() // this makes the run look at the job at once
	if res := <-got; res.Outcome != agent.Cancelled {
		t.Errorf("ended with %s: %s", res.Outcome, res.Error)
	}
	r.untilEmpty(t)
}

// earlier counts the answers that wait for their jobs.
func (r *Remote) earlier() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.early)
}
