package hub

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"evolve/bench"
	"evolve/runtime/agent"
	"evolve/runtime/policy"
	"evolve/runtime/telemetry"
)

// Remote runs the tasks of an agent on workers. It implements [agent.Agent] and is safe for
// concurrent use.
type Remote struct {
	hub            *Hub
	offer          Offer
	token          string
	bundles, parts *blobs
	work           jetstream.Stream
	stops          []func()
	answers        string // the consumer of answers
	bundle         []byte
	names          names
	guard          Guard

	mu      sync.Mutex
	waiting map[string]*pending
	// early holds, keyed by evaluation and request, the answers to jobs that an earlier
	// process of the run requested and this process has not requested yet.
	early map[jobName]*received
	// held holds the messages of answers that the archive does not have yet, keyed by
	// sequence number.
	held    map[int64][]jetstream.Msg
	issued  bits
	others  int64 // the number of requests that belong to no evaluation
	turns   map[bench.Attempt]int
	renewal int
	// publications is the number of times that jobs were published again.
	publications int
	stats        Stats
	// workers holds the present workers, and seen holds the times of their latest
	// heartbeats, both by key. alone is closed once no worker has served the agent for
	// longer than the hub's Patience.
	workers map[string]Presence
	seen    map[string]time.Time
	unwatch func()
	alone   chan struct{}
	lonely  *time.Timer
	closed  bool
}

// Stats holds the counts of the results of an agent's jobs.
type Stats struct {
	Published, Answered int
	// Repeated is the number of answers to jobs that already had an answer, and RepeatedUSD
	// is the cost of these answers. Redelivered is the number of answers to jobs that had
	// been given to another worker before. Republished is the number of jobs that a server
	// had lost.
	Repeated    int
	RepeatedUSD float64
	Redelivered int
	Republished int
	// Taken is the number of answers that were accepted for jobs from an earlier process
	// of the run. These jobs were not paid for again.
	Taken int
	// Ignored is the number of messages that are not answers to any job.
	Ignored int
	// Workers is the maximum number of workers that served the agent at once. For several
	// agents, it is the largest of the agents' maximum numbers.
	Workers int
}

// Plus returns the sums of the counts in s and t, with the larger of the two numbers of
// workers.
func (s Stats) Plus(t Stats) Stats {
	return Stats{
		Published: s.Published + t.Published, Answered: s.Answered + t.Answered, Repeated: s.Repeated + t.Repeated, RepeatedUSD: s.RepeatedUSD + t.RepeatedUSD,
		Redelivered: s.Redelivered + t.Redelivered, Republished: s.Republished + t.Republished, Taken: s.Taken + t.Taken, Ignored: s.Ignored + t.Ignored,
		Workers: max(s.Workers, t.Workers),
	}
}

// pending is a job that waits for its answer.
type pending struct {
	data   []byte
	digest string
	// trace connects the worker's spans to those of this process; it is empty if there are
	// no traces.
	trace string
	// ctx is the context of the task; it also bounds the calls that the task makes.
	ctx context.Context
	// at is the position of the job in the queue.
	at uint64
	// later reports whether the job is for a request after the first one of its
	// evaluation.
	later bool
	// missed is the number of consecutive searches in which the job was neither in the
	// queue nor answered.
	missed int
	// removed reports whether a withdrawal removed the job from the queue, but too late,
	// because a worker had just begun the job.
	removed bool
	answer  chan *received
}

// received is an answer together with its message.
type received struct {
	answer
	msg jetstream.Msg
}

// Offer makes an offer and returns an agent whose tasks are run by workers. The key is
// the coordinator's secret and is the same for all processes of a run. The guard applies
// the limits for all workers together; if it is nil, every call that is subject to such a
// limit is refused.
func (h *Hub) Offer(ctx context.Context, o Offer, bundle, key []byte, guard Guard) (*Remote, error) {
	r := &Remote{
		hub: h, offer: o, token: tokenOf(o.Run, o.Agent), bundle: bundle, guard: guard,
		bundles: h.blobs(bundleStore, bundleAge), parts: h.blobs(partStore, answerAge),
		waiting: map[string]*pending{}, early: map[jobName]*received{}, held: map[int64][]jetstream.Msg{}, turns: map[bench.Attempt]int{}, issued: bits{},
	}
	var err error
	if r.names, err = newNames(key, r.token); err != nil {
		return nil, err
	}
	if err := r.open(ctx); err != nil {
		r.Close()
		return nil, err
	}
	h.whenBack(func() { r.recover(context.WithoutCancel(ctx)) })
	return r, nil
}

// open stores the objects of the offer on the server, and begins to receive answers.
func (r *Remote) open(ctx context.Context) error {
	if _, err := r.queue(ctx); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, 3*requestTime)
	defer stop()
	// Jobs of an earlier process that no worker has taken are published again if they are
	// still wanted.
	if err := r.work.Purge(ctx, jetstream.WithPurgeSubject(workSubject+r.token)); err != nil {
		return refused("the queue of "+r.offer.Agent, err)
	}
	if err := r.receive(ctx); err != nil {
		return err
	}
	if err := r.lease(); err != nil {
		return err
	}
	if err := r.attendAll(ctx); err != nil {
		return err
	}
	return r.announce(ctx)
}

// queue creates the offer's queue if the server does not have it, and stores the offer's
// bundle. It reports whether it created the queue.
func (r *Remote) queue(ctx context.Context) (created bool, err error) {
	if err := r.hub.Setup(ctx); err != nil {
		return false, err
	}
	bundle, err := r.bundles.Put(ctx, r.bundle)
	if err != nil {
		return false, err
	}
	r.mu.Lock()
	r.offer.Bundle = bundle
	r.mu.Unlock()
	ctx, stop := context.WithTimeout(ctx, 3*requestTime)
	defer stop()
	work, err := r.hub.js.Stream(ctx, workStream)
	if err != nil {
		return false, refused("the stream "+workStream, err)
	}
	r.mu.Lock()
	r.work = work
	queue := r.offer.Queue
	r.mu.Unlock()
	if queue != "" {
		if _, err := work.Consumer(ctx, queue); err == nil {
			return false, nil
		} else if !errors.Is(err, jetstream.ErrConsumerNotFound) {
			return false, refused("the queue of "+r.offer.Agent, err)
		}
	}
	if queue, err = r.replace(ctx, work, jetstream.ConsumerConfig{
		FilterSubject: workSubject + r.token, AckWait: r.offer.AckWait, InactiveThreshold: workAge,
	}); err != nil {
		return false, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.offer.Queue = queue
	return true, nil
}

// mostTaken limits the number of an offer's jobs that workers have at once, and the number
// of workers that wait for a job. A server's defaults are 1,000 jobs and 512 workers.
const mostTaken = 100_000

// replace deletes this offer's earlier consumers, creates a consumer under a new name, and
// returns the name.
func (r *Remote) replace(ctx context.Context, stream jetstream.Stream, c jetstream.ConsumerConfig) (string, error) {
	refuse := func(err error) (string, error) { return "", refused("the queue of "+r.offer.Agent, err) }
	names := stream.ConsumerNames(ctx)
	for name := range names.Name() {
		if strings.HasPrefix(name, r.token) {
			if err := stream.DeleteConsumer(ctx, name); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
				return refuse(err)
			}
		}
	}
	if err := names.Err(); err != nil {
		return refuse(err)
	}
	c.Durable, c.AckPolicy, c.MaxDeliver = r.token+"-"+rand.Text()[:12], jetstream.AckExplicitPolicy, -1
	c.MaxAckPending, c.MaxWaiting = mostTaken, mostTaken
	if _, err := stream.CreateConsumer(ctx, c); err != nil {
		return refuse(err)
	}
	return c.Durable, nil
}

// announce publishes the offer to workers.
func (r *Remote) announce(ctx context.Context) error {
	kv, err := r.hub.js.KeyValue(ctx, offerBucket)
	if err != nil {
		return refused("the bucket "+offerBucket, err)
	}
	r.mu.Lock()
	data, err := json.Marshal(r.offer)
	r.mu.Unlock()
	if err != nil {
		return fmt.Errorf("writing the offer: %w", err)
	}
	if _, err := kv.Put(ctx, r.token, data); err != nil {
		return refused("the bucket "+offerBucket, err)
	}
	return nil
}

// Renew makes workers renew the agent before its next task.
func (r *Remote) Renew() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.renewal++
}

// Run runs one task on a worker. The time in the queue and in transit is part of the result's
// Waited.
func (r *Remote) Run(ctx context.Context, req agent.Request) agent.Result {
	begun := r.hub.o.Now()
	got, err := r.ask(ctx, &req)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return agent.Result{Outcome: agent.Cancelled, Error: context.Cause(ctx).Error()}
	case errors.Is(err, errUnbegun):
		return agent.Result{Outcome: agent.Cancelled, Error: err.Error(), Waited: r.hub.o.Now().Sub(begun)}
	default:
		return agent.Result{Outcome: agent.Infrastructure, Error: err.Error(), Waited: r.hub.o.Now().Sub(begun)}
	}
	res := got.Result
	if got.Changed {
		if err := r.fetchFolder(ctx, req.Workdir, got.Folder); err != nil {
			return agent.Result{Outcome: agent.Infrastructure, Error: "the folder that the worker returned cannot be used: " + err.Error(), Usage: res.Usage}
		}
	}
	if req.Observe != nil {
		for _, e := range res.Transcript.Events {
			req.Observe(e)
		}
	}
	res.Waited = max(r.hub.o.Now().Sub(begun)-got.Elapsed, 0)
	return res
}

// fetchFolder replaces the content of a working directory with the content that a worker
// returned.
func (r *Remote) fetchFolder(ctx context.Context, dir, digest string) error {
	if dir == "" {
		return errors.New("the task has no folder")
	}
	data, err := r.parts.Get(ctx, digest)
	if err != nil {
		return err
	}
	if err := empty(dir); err != nil {
		return err
	}
	return Unpack(dir, data)
}

// ask publishes the job for a request and waits for its answer.
func (r *Remote) ask(ctx context.Context, req *agent.Request) (*received, error) {
	name, counted := r.name(ctx, req)
	id := r.names.id(name)
	j := job{
		ID: id, Name: req.ID, Task: req.Task, Config: req.Config, Seed: req.Seed, Limits: req.Limits, Session: req.Session,
		Continues: req.Continues, Conversation: req.Conversation, Workdir: req.Workdir != "",
	}
	r.mu.Lock()
	j.Renewal = r.renewal
	r.mu.Unlock()
	if j.Workdir {
		folder, err := Pack(req.Workdir)
		if err != nil {
			return nil, fmt.Errorf("the task's folder: %w", err)
		}
		if j.Folder, err = r.put(ctx, folder, name.turn > 0); err != nil {
			return nil, err
		}
	}
	if err := j.sum(); err != nil {
		return nil, err
	}
	data, err := json.Marshal(j)
	if err != nil {
		return nil, fmt.Errorf("writing the job: %w", err)
	}
	p := &pending{data: data, digest: j.Digest, trace: telemetry.Traceparent(ctx), ctx: ctx, later: name.turn > 0, answer: make(chan *received, 1)}
	if len(data) > inlined {
		whole, err := r.put(ctx, data, name.turn > 0)
		if err != nil {
			return nil, err
		}
		if p.data, err = json.Marshal(part{Part: whole, ID: id, Job: j.Digest}); err != nil {
			return nil, fmt.Errorf("writing the job: %w", err)
		}
	}
	got, err := r.exchange(ctx, id, name, p)
	if err != nil {
		return nil, err
	}
	if !counted {
		_ = got.msg.Ack()
		return got, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held[name.seq] = append(r.held[name.seq], got.msg)
	return got, nil
}

// name names the job for a request, and reports whether the request belongs to an evaluation.
func (r *Remote) name(ctx context.Context, req *agent.Request) (jobName, bool) {
	a, ok := bench.AttemptOf(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if !ok {
		r.others++
		return jobName{-r.others, 0, 0}, false
	}
	n := r.turns[a]
	if req.Continues {
		r.turns[a] = n + 1
	}
	r.issued.set(a.Seq)
	return nameOf(a, n), true
}

// put stores data in the store of bundles, and waits for the server if the server is
// gone.
func (r *Remote) put(ctx context.Context, data []byte, later bool) (digest string, err error) {
	ctx, end := untilDrained(ctx, later)
	defer end()
	err = r.hub.persist(ctx, func() (err error) {
		digest, err = r.bundles.Put(ctx, data)
		return err
	})
	if err != nil {
		err = drainedOr(ctx, err)
	}
	return digest, err
}

// exchange publishes a job and returns its answer.
func (r *Remote) exchange(ctx context.Context, id string, name jobName, p *pending) (*received, error) {
	r.mu.Lock()
	if got := r.early[name.request()]; got != nil {
		delete(r.early, name.request())
		if got.Job == p.digest && !got.Result.Outcome.Missing() {
			r.stats.Taken++
			r.mu.Unlock()
			return got, nil
		}
		r.repeat(got)
	}
	r.waiting[id] = p
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.waiting, id)
	}()
	begin, end := untilDrained(ctx, p.later)
	defer end()
	// The receipt is awaited with ctx, because the receipt identifies the message to
	// withdraw if evaluations are ended in the meantime.
	if err := r.hub.persist(begin, func() error { return r.publish(ctx, id, p, 0) }); err != nil {
		_ = r.hub.nc.Publish(cancelSubject+r.token, []byte(id)) // a worker may have the job before its receipt arrives
		return nil, drainedOr(begin, err)
	}
	r.mu.Lock()
	r.stats.Published++
	alone := r.alone
	r.mu.Unlock()
	var again <-chan time.Time
	for drained := policy.Waiting(ctx).Done(); ; {
		select {
		case got := <-p.answer:
			return got, nil
		case <-ctx.Done():
			r.cancel(id, p)
			return nil, context.Cause(ctx)
		case <-r.hub.Failed():
			return nil, r.hub.Err()
		case <-r.hub.Overdue():
			return nil, r.hub.errOverdue()
		case <-alone:
			r.cancel(id, p)
			return nil, fmt.Errorf("%w: for %s, no worker has served %s%s", ErrUnreachable, r.hub.o.Patience, r.offer.Agent, r.obstacles())
		case <-drained:
			if r.withdraw(ctx, id, name, p) {
				return nil, errUnbegun
			}
			tick := time.NewTicker(heartbeat)
			defer tick.Stop()
			drained, again = nil, tick.C
		case <-again:
			if r.withdraw(ctx, id, name, p) || r.abandon(id, name, p) {
				return nil, errUnbegun
			}
		}
	}
}

// publish puts a job into the queue. n counts the publications after the first.
func (r *Remote) publish(ctx context.Context, id string, p *pending, n int) error {
	ctx, stop := context.WithTimeout(ctx, requestTime)
	defer stop()
	m := nats.NewMsg(workSubject + r.token)
	m.Data = p.data
	if p.trace != "" {
		m.Header.Set(traceHeader, p.trace)
	}
	if deadline, ok := p.ctx.Deadline(); ok {
		m.Header.Set(deadlineHeader, deadline.UTC().Format(time.RFC3339Nano))
	}
	ack, err := r.hub.js.PublishMsg(ctx, m, jetstream.WithMsgID(fmt.Sprintf("%s/%s/%s/%d", r.token, id, r.offer.Epoch, n)))
	if err != nil {
		return refused("the queue of "+r.offer.Agent, err)
	}
	r.mu.Lock()
	p.at = ack.Sequence
	r.mu.Unlock()
	return nil
}

// cancel withdraws a job from the queue, and from the worker that runs it.
func (r *Remote) cancel(id string, p *pending) {
	_ = r.hub.nc.Publish(cancelSubject+r.token, []byte(id))
	ctx, stop := context.WithTimeout(context.Background(), requestTime)
	defer stop()
	if !r.queued(ctx, p) { // a worker that has the job receives the cancellation
		return
	}
	r.mu.Lock()
	at, work := p.at, r.work
	r.mu.Unlock()
	_ = work.DeleteMsg(ctx, at) // if the deletion fails, the message is withdrawn together with the offer
}

// Recorded acknowledges the answers for an evaluation that is in the archive.
func (r *Remote) Recorded(seq int64) {
	r.mu.Lock()
	msgs := r.held[seq]
	delete(r.held, seq)
	for a := range r.turns {
		if a.Seq == seq {
			delete(r.turns, a)
		}
	}
	r.mu.Unlock()
	for _, m := range msgs {
		_ = m.Ack() // a lost acknowledgement leads to a redelivery, which counts as a repeat
	}
}
