//go:build unix

package hub

import (
	"syscall"
	"testing"
	"time"

	"evolve/runtime/agent"
)

// TestStoppedWorker checks a worker that stood still for longer than ack_wait. Its answer
// counts as a repeat. The answer of the worker that took over the task is the one that
// counts, and it is recorded once.
func TestStoppedWorker(t *testing.T) {
	w := newWorld(t)
	r := w.coordinate(offer())
	stopped := begin(t, workerRole, w.url, t.TempDir())
	got := make(chan agent.Result)
	go func() { got <- r.Run(evaluating(t.Context(), 1), request(1)) }()
	if line := stopped.line(); line != "begun" {
		t.Fatalf("the worker printed %q", line)
	}
	if err := stopped.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	w.work("other", 1, echo)
	if res := <-got; res.Outcome != agent.OK {
		t.Fatalf("ended with %+v", res)
	}
	if s := r.Stats(); s.Answered != 1 || s.Redelivered != 1 || s.Repeated != 0 {
		t.Errorf("while the worker stands still, the jobs ended as %+v", s)
	}
	r.Recorded(1)
	if err := stopped.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	stopped.tell()
	stopped.tell() // this worker may take the next task too
	r.untilTaken(t, 2)
	if s := r.Stats(); s.Published != 2 || s.Answered != 2 || s.Repeated != 1 || s.RepeatedUSD != .25 {
		t.Fatalf("the jobs ended as %+v", s)
	}
	r.untilEmpty(t)
}

// TestSlowAcknowledgement checks that a worker whose acknowledgement comes after ack_wait
// causes one repeat: another worker has run the task again, and the first answer counts.
func TestSlowAcknowledgement(t *testing.T) {
	w := newWorld(t)
	r := w.coordinate(offer())
	got := make(chan agent.Result)
	go func() { got <- r.Run(evaluating(t.Context(), 1), request(1)) }()
	h := w.connect("slow")
	slow := &taker{worker: &Worker{Hub: h, Name: "slow"}, token: r.token, offer: r.offer}
	queue, err := h.js.Consumer(t.Context(), workStream, r.offer.Queue)
	if err != nil {
		t.Fatal(err)
	}
	m, err := queue.Next()
	if err != nil {
		t.Fatal(err)
	}
	j, err := slow.read(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{ID: j.ID, Job: j.Digest, Worker: "slow", Delivery: 1, Result: agent.Result{Outcome: agent.OK, Error: "of the slow worker"}}
	if err := slow.reply(t.Context(), &a, 1); err != nil {
		t.Fatal(err)
	}
	if res := <-got; res.Error != "of the slow worker" {
		t.Errorf("ended with %+v", res)
	}
	r.Recorded(1)
	w.work("other", 1, echo)
	r.untilTaken(t, 2)
	if err := m.DoubleAck(t.Context()); err != nil {
		t.Error(err)
	}
	if s := r.Stats(); s.Published != 2 || s.Answered != 2 || s.Repeated != 1 || s.Republished != 0 {
		t.Fatalf("the jobs ended as %+v", s)
	}
	r.untilEmpty(t)
}

// TestSlowRecord checks an answer that reaches the archive so late that the server
// delivers it again. The answer must not be counted as a repeat, and must leave the
// server when it is recorded.
func TestSlowRecord(t *testing.T) {
	w := newWorld(t)
	r := w.coordinate(offer())
	w.work("a", 1, echo)
	if res := r.Run(evaluating(t.Context(), 1), request(1)); res.Outcome != agent.OK {
		t.Fatalf("ended with %+v", res)
	}
	r.mu.Lock()
	again := r.held[1][0].Reply()
	r.mu.Unlock()
	if err := r.hub.nc.Publish(again, []byte("-NAK")); err != nil { // as when its ack wait ends
		t.Fatal(err)
	}
	r.untilTaken(t, 2)
	r.Recorded(1)
	r.untilEmpty(t)
	if s := r.Stats(); s.Published != 2 || s.Answered != 2 || s.Repeated != 0 {
		t.Fatalf("the jobs ended as %+v", s)
	}
}

// untilTaken waits until the server has delivered the given number of answers, and then
// runs another task. The answer to that task comes after the others, so by then the run
// has taken the others.
func (r *Remote) untilTaken(t *testing.T, answers uint64) {
	t.Helper()
	for delivered := uint64(0); delivered < answers; time.Sleep(time.Millisecond) {
		c, err := r.hub.js.Consumer(t.Context(), answerStream, r.receiver())
		if err != nil {
			t.Fatal(err)
		}
		delivered = c.CachedInfo().Delivered.Consumer
	}
	const after = 100
	if res := r.Run(evaluating(t.Context(), after), request(after)); res.Outcome != agent.OK {
		t.Fatalf("ended with %+v", res)
	}
	r.Recorded(after)
}
