package hub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"evolve/runtime/agent"
)

// TestTasksRunOnWorkers tests that each task gets its own answer.
func TestTasksRunOnWorkers(t *testing.T) {
	w := newWorld(t)
	r := w.coordinate(offer())
	for _, name := range []string{"a", "b", "c"} {
		w.work(name, 4, echo)
	}
	checkEchoes(t, ask(t.Context(), r, 200))
	if s := r.Stats(); s.Published != 200 || s.Answered != 200 || s.Repeated != 0 {
		t.Errorf("the jobs ended as %+v", s)
	}
}

// TestTimeInTheQueue tests that only the agent's own time counts as its latency.
func TestTimeInTheQueue(t *testing.T) {
	w := newWorld(t)
	r := w.coordinate(offer())
	result := make(chan agent.Result)
	begun := time.Now()
	go func() { result <- r.Run(evaluating(t.Context(), 1), request(1)) }()
	for r.Stats().Published == 0 { // the task waits for a worker
		time.Sleep(time.Millisecond)
	}
	own := 0 * time.Second
	w.work("a", 1, func(ctx context.Context, req agent.Request) agent.Result {
		start := time.Now()
		res := echo(ctx, req)
		own = time.Since(start)
		return res
	})
	res := <-result
	if took := time.Since(begun); took-res.Waited > own+took/2 || res.Waited <= 0 {
		t.Errorf("of %s it waited %s, and the agent took %s", took, res.Waited, own)
	}
}

// TestFolderTravels tests that the agent finds the task's files, and that the grader finds
// the files that the agent leaves.
func TestFolderTravels(t *testing.T) {
	w := newWorld(t)
	r := w.coordinate(offer())
	w.work("a", 1, func(_ context.Context, req agent.Request) agent.Result {
		in, err := os.ReadFile(filepath.Join(req.Workdir, "in", "data.txt"))
		if err != nil {
			return agent.Result{Outcome: agent.Execution, Error: err.Error()}
		}
		if err := os.WriteFile(filepath.Join(req.Workdir, "out.txt"), append(in, '!'), 0o600); err != nil {
			return agent.Result{Outcome: agent.Execution, Error: err.Error()}
		}
		err = os.RemoveAll(filepath.Join(req.Workdir, "in"))
		s := string(in)
		return agent.Result{Outcome: agent.OK, Answer: &s, Error: errText(err)}
	})
	req := request(1)
	req.Workdir = t.TempDir()
	write(t, filepath.Join(req.Workdir, "in", "data.txt"), "content")
	if res := r.Run(evaluating(t.Context(), 1), req); res.Outcome != agent.OK || *res.Answer != "content" {
		t.Fatalf("ended with %+v", res)
	}
	out, err := os.ReadFile(filepath.Join(req.Workdir, "out.txt"))
	if err != nil || string(out) != "content!" {
		t.Errorf("the folder has %q, %v", out, err)
	}
	if _, err := os.Stat(filepath.Join(req.Workdir, "in")); !errors.Is(err, os.ErrNotExist) {
		t.Error("what the agent removed is there")
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestWorkerDies tests that another worker takes over the tasks of a killed worker.
func TestWorkerDies(t *testing.T) {
	w := newWorld(t)
	r := w.coordinate(offer())
	entered, hold := make(chan struct{}, 8), make(chan struct{})
	dying := w.work("dying", 4, func(ctx context.Context, req agent.Request) agent.Result {
		entered <- struct{}{}
		<-hold
		return echo(ctx, req)
	})
	got := make(chan []agent.Result)
	go func() { got <- ask(t.Context(), r, 20) }()
	for range 4 {
		<-entered
	}
	dying.kill()
	close(hold)
	w.work("living", 4, echo)
	checkEchoes(t, <-got)
	if s := r.Stats(); s.Answered != 20 || s.Redelivered != 4 {
		t.Errorf("the jobs ended as %+v, want 4 that were delivered again", s)
	}
}

// TestPoison tests that a task that kills its workers becomes missing data.
func TestPoison(t *testing.T) {
	w := newWorld(t)
	o := offer()
	o.AckWait, o.MaxAttempts = time.Second, 2
	r := w.coordinate(o)
	entered := make(chan struct{}, 8)
	got := make(chan agent.Result)
	go func() { got <- r.Run(evaluating(t.Context(), 1), request(1)) }()
	for _, name := range []string{"a", "b"} {
		c := w.work(name, 1, func(ctx context.Context, _ agent.Request) agent.Result {
			entered <- struct{}{}
			<-ctx.Done()
			return agent.Result{Outcome: agent.Cancelled}
		})
		<-entered
		c.kill()
	}
	w.work("c", 1, echo)
	if res := <-got; res.Outcome != agent.Infrastructure || !strings.Contains(res.Error, "2 workers failed while running the task") {
		t.Errorf("ended with %+v", res)
	}
}

// TestServerComesBack tests that tasks under way survive a restart of the server, even if
// the server lost everything.
func TestServerComesBack(t *testing.T) {
	for name, lost := range map[string]bool{"with its streams": false, "without them": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			r := w.coordinate(offer())
			entered, hold := make(chan struct{}, 64), make(chan struct{})
			w.work("a", 2, func(ctx context.Context, req agent.Request) agent.Result {
				entered <- struct{}{}
				<-hold
				return echo(ctx, req)
			})
			got := make(chan []agent.Result)
			go func() { got <- ask(t.Context(), r, 10) }()
			<-entered
			<-entered
			for r.Stats().Published < 10 {
				time.Sleep(time.Millisecond)
			}
			w.stop()
			if lost {
				w.opts.StoreDir = t.TempDir()
			}
			close(hold)
			again := time.Now()
			w.start()
			checkEchoes(t, <-got)
			if s := r.Stats(); lost != (s.Republished > 0) {
				t.Errorf("the jobs ended as %+v", s)
			}
			for !r.sawSince(again) { // until the workers of the job are followed again
				time.Sleep(time.Millisecond)
			}
		})
	}
}

// TestRunTakenUpAgain tests that answers that did not reach the archive are used by the
// process that resumes the run, and are not paid for again.
func TestRunTakenUpAgain(t *testing.T) {
	w := newWorld(t)
	o := offer()
	first := w.coordinate(o)
	var calls atomic.Int64
	w.work("a", 4, func(ctx context.Context, req agent.Request) agent.Result {
		calls.Add(1)
		return echo(ctx, req)
	})
	for i := range 5 {
		if res := first.Run(evaluating(t.Context(), int64(i)), request(i)); res.Outcome != agent.OK {
			t.Fatalf("ended with %+v", res)
		}
	}
	first.Recorded(0)
	first.Recorded(1)
	first.hub.Close() // as a kill does
	o.Epoch = "another"
	second := w.coordinate(o)
	for second.ahead() < 3 {
		time.Sleep(time.Millisecond)
	}
	checkEchoes(t, ask(t.Context(), second, 5))
	if s := second.Stats(); s.Taken != 3 || s.Published != 2 || calls.Load() != 7 {
		t.Errorf("the jobs ended as %+v, with %d calls of the agent", s, calls.Load())
	}
}

func (r *Remote) ahead() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.early)
}

// TestForgedAnswers tests that messages that belong to no job, or to a different evaluation,
// change nothing.
func TestForgedAnswers(t *testing.T) {
	w := newWorld(t)
	r := w.coordinate(offer())
	forger := w.connect("forger")
	w.work("a", 1, func(ctx context.Context, req agent.Request) agent.Result {
		for id := range r.waitingIDs() {
			for _, s := range []string{
				`{"id":"` + id + `","job":"` + strings.Repeat("0", 64) + `","result":{"Outcome":"ok","Score":1}}`,
				`{"id":"` + id + `","result":{"Outcome":"best"}}`,
				`{"id":"x"}`, `nonsense`, `{"part":"` + strings.Repeat("1", 64) + `"}`,
			} {
				if _, err := forger.js.Publish(ctx, answerSubject+r.token, []byte(s)); err != nil {
					t.Error(err)
				}
			}
		}
		return echo(ctx, req)
	})
	checkEchoes(t, ask(t.Context(), r, 1))
	if s := r.Stats(); s.Ignored == 0 || s.Answered != 1 {
		t.Errorf("the jobs ended as %+v", s)
	}
}

// TestManyForgedMessages tests that messages that are not answers are counted, and that
// only the first few are reported.
func TestManyForgedMessages(t *testing.T) {
	w := newWorld(t)
	h := w.connect("coordinator")
	var warnings atomic.Int64
	h.o.Log = slog.New(counting{slog.DiscardHandler, &warnings})
	r, err := h.Offer(t.Context(), offer(), nil, []byte("key"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	const n = 200
	forger := w.connect("forger")
	for range n {
		if _, err := forger.js.Publish(t.Context(), answerSubject+r.token, []byte("nonsense")); err != nil {
			t.Fatal(err)
		}
	}
	w.work("a", 1, echo)
	checkEchoes(t, ask(t.Context(), r, 1)) // its answer comes after the messages
	if s := r.Stats(); s.Ignored != n || warnings.Load() != mostIgnoredTold+1 {
		t.Errorf("%d of %d messages are counted, with %d warnings", s.Ignored, n, warnings.Load())
	}
}

func (r *Remote) waitingIDs() map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := map[string]bool{}
	for id := range r.waiting {
		ids[id] = true
	}
	return ids
}

// TestWithdrawnTask tests that a task that is given up ends both on its worker and in the
// queue.
func TestWithdrawnTask(t *testing.T) {
	w := newWorld(t)
	r := w.coordinate(offer())
	entered, ended := make(chan struct{}), make(chan error, 1)
	w.work("a", 1, func(ctx context.Context, _ agent.Request) agent.Result {
		close(entered)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return agent.Result{Outcome: agent.Cancelled}
	})
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan agent.Result)
	go func() { got <- r.Run(evaluating(ctx, 1), request(1)) }()
	<-entered
	cancel()
	if res := <-got; res.Outcome != agent.Cancelled {
		t.Errorf("ended with %+v", res)
	}
	if err := <-ended; !errors.Is(err, errWithdrawn) {
		t.Errorf("the worker's task ended with %v", err)
	}
}

// TestRefusedOffers tests that a worker with another version, without a secret, or with
// isolation that is too weak reports why it does not serve, and that the tasks end with
// that reason.
func TestRefusedOffers(t *testing.T) {
	for want, k := range map[string]*Worker{
		"but this worker runs 1 (otherpro)": {Name: "other", Binary: "otherprogram", Version: "1", Slots: 1},
		"lacks the variables [KEY]":         {Name: "poor", Binary: program, Slots: 1, Missing: func(names []string) []string { return names }},
		"walls are weaker": {Name: "open", Binary: program, Slots: 1, Open: func(context.Context, Offer, string, string) (Served, error) {
			return Served{}, errors.New("its walls are weaker")
		}},
	} {
		t.Run(want, func(t *testing.T) {
			w := newWorld(t)
			o := offer()
			o.Needs = []string{"KEY"}
			h := w.connect("coordinator")
			h.o.Patience = 2 * time.Second
			r, err := h.Offer(t.Context(), o, nil, []byte("key"), nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(r.Close)
			w.workAs(k, echo)
			res := r.Run(evaluating(t.Context(), 1), request(1))
			if res.Outcome != agent.Infrastructure || !strings.Contains(res.Error, want) {
				t.Errorf("ended with %s: %s", res.Outcome, res.Error)
			}
		})
	}
}

// TestWorkerComesFirst tests that a worker serves a run that begins after the worker
// started, on a hub that no run has used before.
func TestWorkerComesFirst(t *testing.T) {
	w := newWorld(t)
	c := w.work("a", 2, echo)
	for c.asked.Load() == 0 { // it finds no bucket
		time.Sleep(time.Millisecond)
	}
	if _, err := w.connect("check").Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	checkEchoes(t, ask(t.Context(), w.coordinate(offer()), 10))
}

// sawSince reports whether a worker has announced itself since a time.
func (r *Remote) sawSince(at time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, seen := range r.seen {
		if seen.After(at) {
			return true
		}
	}
	return false
}

// TestLostJob tests that a job that a worker has removed from the queue without an answer
// is published again, and no other job is.
func TestLostJob(t *testing.T) {
	w := newWorld(t)
	r := w.coordinate(offer())
	got := make(chan []agent.Result)
	go func() { got <- ask(t.Context(), r, 3) }()
	for r.Stats().Published < 3 {
		time.Sleep(time.Millisecond)
	}
	queue, err := r.hub.js.Consumer(t.Context(), workStream, r.offer.Queue)
	if err != nil {
		t.Fatal(err)
	}
	m, err := queue.Next()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.DoubleAck(t.Context()); err != nil { // and no answer
		t.Fatal(err)
	}
	r.look(t.Context())
	if n := r.Stats().Republished; n != 0 {
		t.Errorf("one look published %d jobs again: an answer may be on its way", n)
	}
	r.look(t.Context())
	if n := r.Stats().Republished; n != 1 {
		t.Errorf("two looks published %d jobs again, want 1", n)
	}
	w.work("a", 1, echo)
	checkEchoes(t, <-got)
}

// TestUnusableAnswer tests that an unusable answer from a worker that had the job ends
// the task as a failure of the infrastructure, because the worker has finished with the
// job.
func TestUnusableAnswer(t *testing.T) {
	for name, form := range map[string]string{
		"values":  `{"id":"%s","job":"%s","result":{"Outcome":"ok","Confidence":7}}`,
		"form":    `{"id":"%s","job":"%s","result":[]}`,
		"content": `{"id":"%s","job":"%s","part":"` + strings.Repeat("1", 64) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			r := w.coordinate(offer())
			got := make(chan agent.Result)
			go func() { got <- r.Run(evaluating(t.Context(), 1), request(1)) }()
			for r.Stats().Published < 1 {
				time.Sleep(time.Millisecond)
			}
			r.mu.Lock()
			var message string
			for id, p := range r.waiting {
				message = fmt.Sprintf(form, id, p.digest)
			}
			r.mu.Unlock()
			if _, err := w.connect("worker").js.Publish(t.Context(), answerSubject+r.token, []byte(message)); err != nil {
				t.Fatal(err)
			}
			if res := <-got; res.Outcome != agent.Infrastructure || !strings.Contains(res.Error, "the answer from a worker") {
				t.Errorf("ended with %s: %s", res.Outcome, res.Error)
			}
		})
	}
}

// TestLostContent tests that a job whose content the server has lost ends as a failure of the
// infrastructure.
func TestLostContent(t *testing.T) {
	w := newWorld(t)
	o := offer()
	o.MaxAttempts = 1
	r := w.coordinate(o)
	req := request(1)
	req.Task.Goal = strings.Repeat("long ", inlined/4)
	got := make(chan agent.Result)
	go func() { got <- r.Run(evaluating(t.Context(), 1), req) }()
	for r.Stats().Published < 1 {
		time.Sleep(time.Millisecond)
	}
	store, err := r.hub.js.ObjectStore(t.Context(), bundleStore)
	if err != nil {
		t.Fatal(err)
	}
	list, err := store.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range list {
		if err := store.Delete(t.Context(), object.Name); err != nil {
			t.Fatal(err)
		}
	}
	w.work("a", 1, echo)
	if res := <-got; res.Outcome != agent.Infrastructure || !strings.Contains(res.Error, "cannot be sent to workers") {
		t.Errorf("ended with %s: %s", res.Outcome, res.Error)
	}
}
