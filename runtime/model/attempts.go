package model

import (
	"context"
	"errors"
	"sync"

	"evolve/runtime/agent"
)

// Reserver reserves the most that an attempt at a request can use, before the attempt is
// sent.
type Reserver interface {
	// Reserve reserves the most that an attempt can use. If wait is set, it waits until the
	// limits leave enough for the reservation. An error means that the attempt must not be
	// made.
	Reserve(ctx context.Context, most Most, wait bool) (Reservation, error)
}

// Reservation is the reservation for one attempt. Exactly one of its methods must be
// called, once.
type Reservation interface {
	// Pay ends the reservation and charges what the attempt used, which may be more than
	// was reserved.
	Pay(u agent.Usage)
	// Lose ends the reservation of an attempt whose usage is unknown.
	Lose()
	// Release ends the reservation of an attempt that used nothing.
	Release()
}

// Attempts manages the successive attempts at one request. Each is reserved separately, so
// retries and attempts with other providers are limited too.
type Attempts struct {
	by Reserver

	mu sync.Mutex
	// now is the open reservation, most is the amount that it reserves, and taken reports
	// whether a model is using the reservation for an attempt.
	now   Reservation
	most  Most
	taken bool
	// done reports whether the request is over.
	done bool
}

// errDone is the error for an attempt that would begin after its request is over.
var errDone = errors.New("the request has already ended")

// BeginAttempts reserves the first attempt of a request; most is an upper limit on what
// that attempt uses. The error is the reserver's.
func BeginAttempts(ctx context.Context, by Reserver, most Most) (*Attempts, error) {
	first, err := by.Reserve(ctx, most, true)
	if err != nil {
		return nil, err
	}
	return &Attempts{by: by, now: first, most: most}, nil
}

type attemptsKey struct{}

// Within returns a context that passes the attempts on to the model.
func (a *Attempts) Within(ctx context.Context) context.Context {
	return context.WithValue(ctx, attemptsKey{}, a)
}

// End ends the request. usage is the request's usage, for a model that does not report its
// attempts, and cut reports whether the request was cut off. An attempt that is still
// running is charged its upper limit.
func (a *Attempts) End(usage agent.Usage, cut bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done = true
	switch {
	case a.now == nil:
	case cut || a.taken:
		a.now.Lose()
	default:
		a.now.Pay(usage)
	}
	a.now = nil
}

// Attempt is one attempt at a request; it must be ended by one of its methods. Without
// [Attempts] in the context, an attempt is not counted.
type Attempt struct {
	of *Attempts
	r  Reservation
}

// BeginAttempt begins an attempt; most is an upper limit on what it uses. A model calls
// BeginAttempt before it sends anything that may be charged. BeginAttempt does not wait: an
// error means that the attempt must not be made, because the limits do not leave enough for
// it or the request is over.
func BeginAttempt(ctx context.Context, most Most) (Attempt, error) {
	a, ok := ctx.Value(attemptsKey{}).(*Attempts)
	if !ok {
		return Attempt{}, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.done:
		return Attempt{}, errDone
	case a.now != nil && a.taken: // the previous attempt was abandoned, and may still be charged
		a.now.Lose()
		a.now = nil
	case a.now != nil && most != a.most: // another provider
		a.now.Release()
		a.now = nil
	}
	if a.now == nil {
		r, err := a.by.Reserve(ctx, most, false)
		if err != nil {
			return Attempt{}, err
		}
		a.now, a.most = r, most
	}
	a.taken = true
	return Attempt{a, a.now}, nil
}

// Pay ends the attempt and charges what it used.
func (t Attempt) Pay(u agent.Usage) { t.end(func(r Reservation) { r.Pay(u) }) }

// Lose ends an attempt that may be charged but whose usage is unknown.
func (t Attempt) Lose() { t.end(Reservation.Lose) }

// Release ends an attempt that is not charged.
func (t Attempt) Release() { t.end(Reservation.Release) }

func (t Attempt) end(how func(Reservation)) {
	if t.of == nil {
		return
	}
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	if t.of.now == t.r { // otherwise the request is already over
		how(t.r)
		t.of.now = nil
	}
}
