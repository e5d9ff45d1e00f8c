package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/panics"

	"evolve/runtime/agent"
	"evolve/runtime/policy"
	"evolve/runtime/telemetry"
)

// taker takes and runs the jobs of one offer.
type taker struct {
	worker  *Worker
	token   string
	offer   Offer
	served  Served
	scratch string
	// own holds one entry for each running task of the agent, if the agent has a limit of
	// its own.
	own chan struct{}

	// renewing is held for writing while the agent is renewed.
	renewing sync.RWMutex
	renewed  int

	mu sync.Mutex
	// running holds the functions that end jobs, keyed by job id.
	running map[string]context.CancelCauseFunc
}

var errWithdrawn = errors.New("the run has withdrawn the task")

// ackTime limits the wait for the server's receipt for an acknowledgement. There is no
// receipt if the server has lost the queue.
const ackTime = 2 * time.Second

// fetchTime limits one request for a job. The server keeps the request open for that
// long.
const fetchTime = 5 * time.Second

// serve takes jobs until ctx ends, and returns when no job is running any longer. It ends
// the running jobs when the context hurry ends.
func (t *taker) serve(ctx, hurry context.Context) {
	w := t.worker
	cancels, err := w.Hub.nc.Subscribe(cancelSubject+t.token, func(m *nats.Msg) { t.withdraw(string(m.Data)) })
	if err == nil {
		defer func() { _ = cancels.Unsubscribe() }()
	}
	var wg conc.WaitGroup
	defer wg.Wait()
	var queue jetstream.Consumer
	for ctx.Err() == nil {
		if w.Hub.wait(ctx) != nil {
			return
		}
		free, ok := t.enter(ctx)
		if !ok {
			return
		}
		m, again, err := t.next(ctx, queue)
		queue = again
		if m == nil {
			free()
			if err != nil && ctx.Err() == nil {
				queue = nil
				pause(ctx, reconnectWait)
			}
			continue
		}
		wg.Go(func() {
			defer free()
			t.do(hurry, m)
		})
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// enter waits for a free slot for a task, and returns the function that frees the slot.
func (t *taker) enter(ctx context.Context) (free func(), ok bool) {
	if t.own != nil {
		select {
		case t.own <- struct{}{}:
		case <-ctx.Done():
			return nil, false
		}
	}
	select {
	case t.worker.slots <- struct{}{}:
		return func() {
			<-t.worker.slots
			if t.own != nil {
				<-t.own
			}
		}, true
	case <-ctx.Done():
		if t.own != nil {
			<-t.own
		}
		return nil, false
	}
}

// next fetches one job; the message is nil if no job arrived for a while. It also returns
// the consumer to pass to the next call.
func (t *taker) next(ctx context.Context, queue jetstream.Consumer) (jetstream.Msg, jetstream.Consumer, error) {
	if queue == nil {
		ask, stop := context.WithTimeout(ctx, requestTime)
		defer stop()
		var err error
		if queue, err = t.worker.Hub.js.Consumer(ask, workStream, t.offer.Queue); err != nil {
			return nil, nil, err
		}
	}
	batch, err := queue.Fetch(1, jetstream.FetchMaxWait(fetchTime))
	if err != nil {
		return nil, nil, err
	}
	for {
		select {
		case m, ok := <-batch.Messages():
			if !ok {
				err := batch.Error()
				if errors.Is(err, nats.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) {
					err = nil
				}
				return nil, queue, err
			}
			return m, queue, nil
		case <-ctx.Done():
			go func() { // messages that arrive later are returned to the queue at once
				for m := range batch.Messages() {
					_ = m.Nak()
				}
			}()
			return nil, queue, nil
		}
	}
}

// withdraw ends a job that the run has given up; "*" stands for all jobs.
func (t *taker) withdraw(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for running, cancel := range t.running {
		if id == "*" || id == running {
			cancel(errWithdrawn)
		}
	}
}

// do runs a job, stores its answer, and then acknowledges the job.
func (t *taker) do(hurry context.Context, m jetstream.Msg) {
	if expired(m.Headers().Get(deadlineHeader), t.worker.Hub.o.Now()) {
		_ = m.Term()
		t.worker.Meter.Unanswered(Withdrawn)
		return
	}
	t.worker.busy.Add(1)
	defer t.worker.busy.Add(-1)
	ctx, cancel := context.WithCancelCause(hurry)
	defer cancel(nil)
	ctx, span := telemetry.Start(telemetry.Join(ctx, m.Headers().Get(traceHeader)), "task")
	defer span.End()
	span.Text(telemetry.Worker, t.worker.Name)
	span.Text(telemetry.AgentName, t.offer.Agent)
	alive := t.keepAlive(ctx, m)
	defer alive()
	delivery, at := 1, uint64(0)
	if meta, err := m.Metadata(); err == nil {
		delivery, at = int(min(meta.NumDelivered, math.MaxInt32)), meta.Sequence.Stream
	}
	j, unread := t.read(ctx, m)
	if unread != nil && (j.ID == "" || delivery <= t.offer.MaxAttempts) {
		t.worker.Hub.o.Log.Warn("a job cannot be read", "agent", t.offer.Agent, "error", unread.Error())
		_ = m.NakWithDelay(time.Second)
		t.worker.Meter.Unanswered(Unreadable)
		return
	}
	t.mu.Lock()
	t.running[j.ID] = cancel
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.running, j.ID)
	}()
	a := answer{ID: j.ID, Job: j.Digest, Worker: t.worker.Name, Delivery: delivery}
	switch {
	case unread != nil:
		a.Result = agent.Result{Outcome: agent.Infrastructure, Error: "the task cannot be sent to workers: " + unread.Error()}
	case delivery > t.offer.MaxAttempts:
		a.Result = agent.Result{Outcome: agent.Infrastructure, Error: fmt.Sprintf("%d workers failed while running the task", t.offer.MaxAttempts)}
	default:
		if err := t.run(ctx, j, &a); err != nil {
			a.Result = agent.Result{Outcome: agent.Infrastructure, Error: "the worker: " + err.Error(), Usage: a.Result.Usage} // the task may have been paid for
		}
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errWithdrawn):
		_ = m.Term()
		t.worker.Meter.Unanswered(Withdrawn)
		return
	case cause != nil && a.Result.Outcome.Missing():
		_ = m.Nak() // another worker takes the job
		t.worker.Meter.Unanswered(GivenBack)
		return
	}
	if err := t.reply(context.WithoutCancel(hurry), &a, at); err != nil {
		t.worker.Hub.o.Log.Warn("an answer cannot be stored, so another worker repeats the task", "agent", t.offer.Agent, "error", err.Error())
		t.worker.Meter.Unanswered(Unstored)
		return
	}
	t.worker.Meter.Answered(a.Result.Outcome, a.Elapsed)
	span.Text(telemetry.Outcome, string(a.Result.Outcome))
	done, stop := context.WithTimeout(context.WithoutCancel(hurry), ackTime)
	defer stop()
	_ = m.DoubleAck(done) // a job that the server still has is run again, and its answer is a repeat
}

// keepAlive renews the lease of a job until the returned function is called.
func (t *taker) keepAlive(ctx context.Context, m jetstream.Msg) func() {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		tick := time.NewTicker(max(t.offer.AckWait/3, 10*time.Millisecond))
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_ = m.InProgress() // the next renewal makes up for a failure
			case <-ctx.Done():
				return
			}
		}
	}()
	return stop
}

// read returns the job in a message. If there is an error, the job has only the fields from
// the message itself.
func (t *taker) read(ctx context.Context, m jetstream.Msg) (*job, error) {
	j := new(job)
	data := m.Data()
	var p part
	if err := json.Unmarshal(data, &p); err != nil {
		return j, err
	}
	j.ID, j.Digest = p.ID, p.Job
	if p.Part != "" {
		whole, err := t.worker.calls.Get(ctx, p.Part)
		if err != nil {
			return j, err
		}
		data = whole
	}
	return j, json.Unmarshal(data, j)
}

// renew renews the agent if a job demands a renewal that has not happened yet. No other job
// runs during the renewal.
func (t *taker) renew(n int) error {
	t.renewing.RLock()
	due := n > t.renewed
	t.renewing.RUnlock()
	if !due {
		return nil
	}
	t.renewing.Lock()
	defer t.renewing.Unlock()
	if n <= t.renewed {
		return nil
	}
	t.renewed = n
	if t.served.Renew == nil {
		return nil
	}
	return t.served.Renew()
}

// run runs a job's task and writes the result to the answer.
func (t *taker) run(ctx context.Context, j *job, a *answer) error {
	if err := t.renew(j.Renewal); err != nil {
		return err
	}
	t.renewing.RLock()
	defer t.renewing.RUnlock()
	dir := ""
	if j.Workdir {
		dir = filepath.Join(t.scratch, t.worker.OpaqueName())
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		folder, err := t.worker.calls.Get(ctx, j.Folder)
		if err != nil {
			return err
		}
		if err := Unpack(dir, folder); err != nil {
			return err
		}
	}
	req := agent.Request{
		ID: j.Name, Task: j.Task, Config: t.served.Typed(j.Config), Seed: j.Seed, Limits: j.Limits, Workdir: dir,
		Session: j.Session, Continues: j.Continues, Conversation: j.Conversation,
	}
	begun, lost := t.worker.Hub.o.Now(), t.lost()
	leased := policy.WithLeaser(ctx, lessee{t.worker.Hub, t.token, j, t.worker.Meter})
	if p := panics.Try(func() { a.Result = t.served.Agent.Run(leased, req) }); p != nil {
		a.Result = agent.Result{Outcome: agent.Execution, Error: fmt.Sprintf("the agent panicked: %v", p.Value)}
	}
	a.Elapsed = max(t.worker.Hub.o.Now().Sub(begun)-a.Result.Waited, 0)
	if lost = t.lost() - lost; lost > 0 && (lost > a.Elapsed/10 || a.Result.Outcome == agent.Timeout) && ctx.Err() == nil {
		a.Result = agent.Result{Outcome: agent.Infrastructure, Usage: a.Result.Usage, Error: fmt.Sprintf("the worker was suspended for %s during the task", lost.Round(time.Millisecond))}
		return nil
	}
	if dir == "" || a.Result.Outcome.Missing() {
		return nil
	}
	after, err := Pack(dir)
	if err != nil {
		return fmt.Errorf("the folder of the task: %w", err)
	}
	if digest := digestOf(after); len(after) > 0 && digest != j.Folder || len(after) == 0 && j.Folder != "" {
		a.Changed = true
		return t.worker.Hub.persist(context.WithoutCancel(ctx), func() (err error) {
			a.Folder, err = t.worker.parts.Put(context.WithoutCancel(ctx), after)
			return err
		})
	}
	return nil
}

func (t *taker) lost() time.Duration {
	if t.worker.Lost == nil {
		return 0
	}
	return t.worker.Lost()
}

// reply stores the answer to the job that is at the given position in the queue. If the
// server is gone, reply waits for it.
func (t *taker) reply(ctx context.Context, a *answer, at uint64) error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return t.worker.Hub.persist(ctx, func() error {
		body := data
		if len(body) > inlined {
			digest, err := t.worker.parts.Put(ctx, data)
			if err != nil {
				return err
			}
			if body, err = json.Marshal(part{Part: digest, ID: a.ID, Job: a.Job}); err != nil {
				return err
			}
		}
		ctx, stop := context.WithTimeout(ctx, requestTime)
		defer stop()
		id := fmt.Sprintf("%s/%d/%s/%d", t.offer.Queue, at, t.worker.Name, a.Delivery)
		_, err := t.worker.Hub.js.Publish(ctx, answerSubject+t.token, body, jetstream.WithMsgID(id))
		return err
	})
}
