package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"evolve/runtime/agent"
	"evolve/runtime/policy"
)

// leaseSubject is the subject on which workers request calls under the coordinator's
// policies.
const leaseSubject = "evolve.lease."

// Guard applies policies to the calls that workers make.
type Guard interface {
	Lease(ctx context.Context, c policy.Call, run func(ctx context.Context, attempt int) (policy.Spent, error)) (policy.Leased, error)
}

// leaseRequest asks the coordinator to allow a call that a job makes.
type leaseRequest struct {
	Job    string      `json:"job"`
	Digest string      `json:"digest"`
	Call   policy.Call `json:"call"`
}

// leaseStep is a message from the coordinator about a call: an attempt may begin, the
// attempt must end, or the call is over.
type leaseStep struct {
	Attempt int            `json:"attempt,omitempty"`
	Stop    bool           `json:"stop,omitempty"`
	Done    *policy.Leased `json:"done,omitempty"`
	// Refused is the reason why the call is refused.
	Refused string `json:"refused,omitempty"`
}

// leaseReply describes the end of an attempt. Gone reports whether the worker has given up
// the call.
type leaseReply struct {
	Attempt    int           `json:"attempt"`
	Gone       bool          `json:"gone,omitempty"`
	Spent      policy.Spent  `json:"spent"`
	Error      string        `json:"error,omitempty"`
	Failure    bool          `json:"failure,omitempty"`
	Outcome    agent.Outcome `json:"outcome,omitempty"`
	Retry      bool          `json:"retry,omitempty"`
	RetryAfter time.Duration `json:"retry_after,omitempty"`
}

// err returns the error of the attempt.
func (l *leaseReply) err() error {
	switch {
	case l.Failure:
		return &policy.Failure{Outcome: l.Outcome, Retry: l.Retry, RetryAfter: l.RetryAfter, Err: errors.New(l.Error)}
	case l.Error != "":
		return errors.New(l.Error)
	}
	return nil
}

// replyOf returns a description of the end of an attempt.
func replyOf(attempt int, spent policy.Spent, err error) leaseReply {
	l := leaseReply{Attempt: attempt, Spent: spent}
	var f *policy.Failure
	switch {
	case err == nil:
	case errors.As(err, &f):
		l.Failure, l.Outcome, l.Retry, l.RetryAfter, l.Error = true, f.Outcome, f.Retry, f.RetryAfter, f.Error()
	default:
		l.Error = errorText(err)
	}
	return l
}

// errorText returns the text of an error, which is never empty.
func errorText(err error) string {
	if s := err.Error(); s != "" {
		return s
	}
	return "failed"
}

var errGone = errors.New("the worker has abandoned the call")

// lease begins to serve the calls that the offer's jobs make.
func (r *Remote) lease() error {
	if r.guard == nil {
		return nil
	}
	sub, err := r.hub.nc.Subscribe(leaseSubject+r.token, func(m *nats.Msg) {
		go r.leaseOne(m)
	})
	if err != nil {
		return refused("the subscription to calls of "+r.offer.Agent, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stops = append(r.stops, func() { _ = sub.Unsubscribe() })
	return nil
}

// leaseOne makes one call for a worker under the policies of this process.
func (r *Remote) leaseOne(m *nats.Msg) {
	send := func(s leaseStep, reply string) error {
		data, err := json.Marshal(s)
		if err != nil {
			return err
		}
		return r.hub.nc.PublishMsg(&nats.Msg{Subject: m.Reply, Reply: reply, Data: data})
	}
	var q leaseRequest
	if err := json.Unmarshal(m.Data, &q); err != nil || m.Reply == "" {
		return
	}
	r.mu.Lock()
	p := r.waiting[q.Job]
	r.mu.Unlock()
	if p == nil || p.digest != q.Digest {
		_ = send(leaseStep{Refused: "this job is not running"}, "")
		return
	}
	down := r.hub.down()
	inbox := r.hub.nc.NewInbox()
	replies := make(chan *nats.Msg, 16)
	sub, err := r.hub.nc.ChanSubscribe(inbox, replies)
	if err != nil {
		return
	}
	defer func() { _ = sub.Unsubscribe() }()
	ctx, cancel := context.WithCancelCause(p.ctx)
	defer cancel(nil)
	q.Call.Agent = r.offer.Agent
	done, err := r.guard.Lease(ctx, q.Call, func(actx context.Context, attempt int) (policy.Spent, error) {
		if err := send(leaseStep{Attempt: attempt}, inbox); err != nil {
			return policy.Spent{}, err
		}
		for {
			select {
			case m := <-replies:
				var l leaseReply
				if m.Header.Get("Status") != "" || json.Unmarshal(m.Data, &l) != nil || l.Gone {
					cancel(errGone)
					return policy.Spent{}, errGone
				}
				if l.Attempt == attempt {
					return saneSpent(l.Spent), l.err()
				}
			case <-down:
				cancel(errGone)
				return policy.Spent{}, errGone
			case <-actx.Done():
				_ = send(leaseStep{Attempt: attempt, Stop: true}, "")
				return policy.Spent{}, context.Cause(actx)
			}
		}
	})
	if err != nil {
		_ = send(leaseStep{Refused: err.Error()}, "")
		return
	}
	_ = send(leaseStep{Done: &done}, "")
}

// saneSpent returns the usage of an attempt with implausible values replaced by zero.
func saneSpent(s policy.Spent) policy.Spent {
	if !(s.USD >= 0) || s.USD > 1e6 {
		s.USD = 0
	}
	s.Tokens = max(0, s.Tokens)
	return s
}

// lessee makes the calls of one job under the coordinator's policies. It implements
// [policy.Leaser].
type lessee struct {
	hub   *Hub
	token string
	job   *job
	meter Meter
}

// Lease requests a call from the coordinator.
func (l lessee) Lease(ctx context.Context, c policy.Call, run func(ctx context.Context, attempt int) (policy.Spent, error)) (policy.Leased, error) {
	out, err := l.lease(ctx, c, run)
	l.meter.Leased(c.Kind, out.Waited, err != nil && ctx.Err() == nil)
	return out, err
}

func (l lessee) lease(ctx context.Context, c policy.Call, run func(ctx context.Context, attempt int) (policy.Spent, error)) (policy.Leased, error) {
	var none policy.Leased
	down := l.hub.down()
	inbox := l.hub.nc.NewInbox()
	steps := make(chan *nats.Msg, 16)
	sub, err := l.hub.nc.ChanSubscribe(inbox, steps)
	if err != nil {
		return none, refused("a call", err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	data, err := json.Marshal(leaseRequest{Job: l.job.ID, Digest: l.job.Digest, Call: c})
	if err != nil {
		return none, fmt.Errorf("encoding the request for a call: %w", err)
	}
	if err := l.hub.nc.PublishRequest(leaseSubject+l.token, inbox, data); err != nil {
		return none, refused("a call", err)
	}
	tell := func(to string, r leaseReply) {
		if data, err := json.Marshal(r); err == nil && to != "" {
			_ = l.hub.nc.Publish(to, data)
		}
	}
	back := ""
	attempts := make(chan leaseReply, 1)
	end := func() {}
	defer func() { end() }()
	for {
		select {
		case m := <-steps:
			var s leaseStep
			switch {
			case m.Header.Get("Status") != "":
				return none, errors.New("the run did not answer a request for a call")
			case json.Unmarshal(m.Data, &s) != nil:
				return none, errors.New("the run answered a request for a call with a message of the wrong kind")
			case s.Refused != "":
				return none, fmt.Errorf("the run refused a call: %.200s", s.Refused)
			case s.Done != nil:
				return *s.Done, nil
			case s.Stop:
				end()
			case s.Attempt > 0:
				end()
				back = m.Reply
				attempt, stop := context.WithCancel(ctx)
				end = stop
				go func() {
					spent, err := run(attempt, s.Attempt)
					attempts <- replyOf(s.Attempt, spent, err)
				}()
			}
		case r := <-attempts:
			tell(back, r)
		case <-down:
			return none, errors.New("the connection to the hub was lost during a call")
		case <-ctx.Done():
			tell(back, leaseReply{Gone: true})
			return none, context.Cause(ctx)
		}
	}
}
