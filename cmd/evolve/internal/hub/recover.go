package hub

import (
	"bytes"
	"context"
	"errors"
	"maps"

	"github.com/nats-io/nats.go/jetstream"
)

// recover publishes again the jobs that a server lost while it was gone, if the server's
// streams are new. If the streams are the old ones, a job that is no longer in the queue
// may have an answer that the server has not delivered yet; [Remote.look] searches for the
// jobs that such a server lost.
func (r *Remote) recover(ctx context.Context) {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return
	}
	under := maps.Clone(r.waiting)
	for _, p := range under {
		p.missed = 0 // an earlier miss may concern an answer that the server has by now
	}
	r.mu.Unlock()
	r.bundles.Forget()
	r.parts.Forget()
	lost := false
	err := r.hub.persist(ctx, func() error {
		created, err := r.queue(ctx)
		if err != nil {
			return err
		}
		lost = lost || created
		if _, err := r.hub.js.Consumer(ctx, answerStream, r.receiver()); errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
			lost = true
			if err := r.receive(ctx); err != nil {
				return err
			}
		} else if err != nil {
			return err
		}
		if err := r.watch(ctx); err != nil {
			return err
		}
		return r.announce(ctx)
	})
	if err != nil {
		r.hub.o.Log.Warn("the run's tasks cannot be republished on the hub", "agent", r.offer.Agent, "error", err.Error())
		return
	}
	if !lost {
		return
	}
	for id, p := range under {
		if !r.queued(ctx, p) {
			r.republish(ctx, id, p)
		}
	}
}

// look publishes again the jobs that two consecutive looks found neither in the queue nor
// answered: either a worker has given up such a job for good, or its answer is lost.
func (r *Remote) look(ctx context.Context) {
	r.mu.Lock()
	under := maps.Clone(r.waiting)
	r.mu.Unlock()
	for id, p := range under {
		if !r.hub.connected() {
			return
		}
		there := r.queued(ctx, p)
		r.mu.Lock()
		if p.missed++; there || p.at == 0 || p.removed { // a job without a position is about to be published
			p.missed = 0
		}
		lost := p.missed > 1
		r.mu.Unlock()
		if lost {
			r.republish(ctx, id, p)
		}
	}
}

// queued reports whether a job is still in the queue. A job that a worker has taken stays
// in the queue until its answer is stored.
func (r *Remote) queued(ctx context.Context, p *pending) bool {
	ctx, stop := context.WithTimeout(ctx, requestTime)
	defer stop()
	r.mu.Lock()
	at, data, work := p.at, p.data, r.work
	r.mu.Unlock()
	m, err := work.GetMsg(ctx, at)
	if err != nil {
		return !errors.Is(err, jetstream.ErrMsgNotFound)
	}
	return bytes.Equal(m.Data, data)
}

// republish publishes a job again if it is still waiting.
func (r *Remote) republish(ctx context.Context, id string, p *pending) {
	r.mu.Lock()
	wanted := r.waiting[id] == p
	r.publications++
	n := r.publications
	p.missed = 0
	r.mu.Unlock()
	if !wanted {
		return
	}
	if err := r.hub.persist(ctx, func() error { return r.publish(ctx, id, p, n) }); err != nil {
		r.hub.o.Log.Warn("a job cannot be published again", "agent", r.offer.Agent, "error", err.Error())
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.Republished++
}

// receiver returns the name of the consumer from which this process receives answers.
func (r *Remote) receiver() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.answers
}

// Stats returns the counts of the jobs so far.
func (r *Remote) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stats
}

// Close withdraws the offer and its jobs. Answers that are not in the archive remain on the
// server for a process that resumes the run.
func (r *Remote) Close() {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return
	}
	r.closed = true
	stops := r.stops
	if r.unwatch != nil {
		stops = append(stops, r.unwatch)
	}
	if r.lonely != nil {
		r.lonely.Stop()
	}
	r.mu.Unlock()
	ctx, stop := context.WithTimeout(context.Background(), requestTime)
	defer stop()
	for _, f := range stops {
		f()
	}
	if !r.hub.connected() {
		return
	}
	_ = r.hub.nc.Publish(cancelSubject+r.token, []byte("*"))
	if kv, err := r.hub.js.KeyValue(ctx, offerBucket); err == nil {
		_ = kv.Delete(ctx, r.token)
	}
	if r.work != nil {
		_ = r.work.Purge(ctx, jetstream.WithPurgeSubject(workSubject+r.token))
		_ = r.work.DeleteConsumer(ctx, r.offer.Queue)
	}
}
