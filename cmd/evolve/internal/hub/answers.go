package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// mostEarly limits the number of answers that are retained for jobs that this process has
// not requested yet.
const mostEarly = 10_000

// receive begins to receive answers to the offer's jobs.
func (r *Remote) receive(ctx context.Context) error {
	stream, err := r.hub.js.Stream(ctx, answerStream)
	if err != nil {
		return refused("the stream "+answerStream, err)
	}
	name, err := r.replace(ctx, stream, jetstream.ConsumerConfig{
		FilterSubject: answerSubject + r.token, AckWait: answerWait, InactiveThreshold: answerAge,
	})
	if err != nil {
		return err
	}
	c, err := stream.Consumer(ctx, name)
	if err != nil {
		return refused("the answers to the jobs of "+r.offer.Agent, err)
	}
	consuming, err := c.Consume(r.take, jetstream.ConsumeErrHandler(func(jetstream.ConsumeContext, error) {})) // after an error, the consumer continues by itself
	if err != nil {
		return refused("the answers to the jobs of "+r.offer.Agent, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stops, r.answers = append(r.stops, consuming.Stop), name
	return nil
}

// answerWait is the time after which an answer that is not acknowledged is delivered again.
const answerWait = 10 * requestTime

// take receives one answer. An unreadable answer from a worker that had the job ends the
// job as a failure of the infrastructure, because the worker has finished it. A message
// that names no job is ignored.
func (r *Remote) take(m jetstream.Msg) {
	got, err := r.decode(m)
	switch {
	case errors.Is(err, errLater):
		_ = m.NakWithDelay(reconnectWait)
		return
	case err != nil && r.expects(got):
		got.Result, got.Changed = agent.Result{Outcome: agent.Infrastructure, Error: "the answer from a worker cannot be used: " + err.Error()}, false
	case err != nil:
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ignore(m, err)
		return
	}
	name, ok := r.names.parse(got.ID)
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.waiting[got.ID]; p != nil {
		if p.digest != got.Job {
			r.ignore(m, errors.New("it is the answer to a different job"))
			return
		}
		select {
		case p.answer <- got:
			delete(r.waiting, got.ID)
			r.stats.Answered++
			if got.Delivery > 1 {
				r.stats.Redelivered++
			}
			return
		default:
		}
	}
	if meta, err := m.Metadata(); err == nil && meta.NumDelivered > 1 && r.knows(name.seq, m) {
		return // the archive will soon have the answer
	}
	if ok && !r.issued.has(name.seq) && len(r.early) < mostEarly && r.early[name.request()] == nil {
		r.early[name.request()] = got
		return
	}
	r.repeat(got)
}

// knows reports whether a message belongs to an answer that is waiting to be stored in the
// archive.
func (r *Remote) knows(seq int64, m jetstream.Msg) bool {
	for _, held := range r.held[seq] {
		a, errA := held.Metadata()
		b, errB := m.Metadata()
		if errA == nil && errB == nil && a.Sequence.Stream == b.Sequence.Stream {
			return true
		}
	}
	return false
}

// repeat acknowledges an answer that is not needed, and counts it and its cost.
func (r *Remote) repeat(got *received) {
	r.stats.Repeated++
	r.stats.RepeatedUSD += got.Result.Usage.CostUSD
	_ = got.msg.Ack()
}

// ignore removes a message that is not an answer to any job, counts it, and logs a warning
// if it is one of the first such messages. The caller holds r.mu.
func (r *Remote) ignore(m jetstream.Msg, why error) {
	_ = m.Term()
	r.stats.Ignored++
	switch n, log := r.stats.Ignored, r.hub.o.Log; {
	case n <= mostIgnoredTold:
		log.Warn("a message from a worker is ignored", "agent", r.offer.Agent, "reason", text.Clip(why.Error(), 300))
	case n == mostIgnoredTold+1:
		log.Warn("further ignored messages from workers are only counted, not logged", "agent", r.offer.Agent)
	}
}

// mostIgnoredTold limits the number of warnings about ignored messages for each agent.
const mostIgnoredTold = 5

// expects reports whether an answer belongs to a job whose answer is still awaited.
func (r *Remote) expects(got *received) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.waiting[got.ID]
	return p != nil && p.digest == got.Job
}

// errLater reports that an answer cannot be fetched now.
var errLater = errors.New("the answer cannot be fetched now")

// decode reads and checks an answer. If it returns an error, it also returns the known
// parts of the answer.
func (r *Remote) decode(m jetstream.Msg) (*received, error) {
	got := &received{msg: m}
	data := m.Data()
	var p part
	if err := json.Unmarshal(data, &p); err != nil {
		return got, fmt.Errorf("it is not JSON: %w", err)
	}
	got.ID, got.Job = p.ID, p.Job
	if p.Part != "" {
		whole, err := r.parts.Get(context.Background(), p.Part)
		switch {
		case errors.Is(err, errObject):
			return got, err
		case err != nil:
			return got, fmt.Errorf("%w: %w", errLater, err)
		}
		data = whole
	}
	a := answer{}
	if err := json.Unmarshal(data, &a); err != nil {
		return got, fmt.Errorf("the message is not an answer: %w", err)
	}
	if p.Part != "" && (a.ID != p.ID || a.Job != p.Job) {
		return got, errors.New("it is the answer to a different job")
	}
	got.answer = a
	return got, got.check()
}
