package model

import (
	"context"
	"errors"
	"sync"

	"evolve/runtime/agent"
)

// Reserver reserves what an attempt of a request can use, before it is sent.
type Reserver interface {
	// Reserve reserves what an attempt uses at most. It waits for room if wait is set. An
	// error means that the attempt must not be made.
	Reserve(ctx context.Context, most Most, wait bool) (Reservation, error)
}

// Reservation is the reservation of one attempt. One of its methods is called, once.
type Reservation interface {
	// Pay ends the reservation with what the attempt used, which may be more than was
	// reserved.
	Pay(u agent.Usage)
	// Lose ends it where the use of the attempt is unknown.
	Lose()
	// Release ends the reservation where the attempt used nothing.
	Release()
}

// Attempts are the attempts of one request, one after the other. Each is reserved by itself,
// so that retries and other providers are bounded, too.
type Attempts struct {
	by Reserver

	mu sync.Mutex
	// now is the open reservation, most the amount that it reserves, and taken reports
	// whether a model makes the attempt.
	now   Reservation
	most  Most
	taken bool
	// done reports whether the request is over.
	done bool
}

// errDone ends an attempt that would begin after its request.
var errDone = errors.New("the request is over")

// BeginAttempts reserves the first attempt of a request, which uses at most the amount
// most. The error is the reserver's.
func BeginAttempts(ctx context.Context, by Reserver, most Most) (*Attempts, error) {
	first, err := by.Reserve(ctx, most, true)
	if err != nil {
		return nil, err
	}
	return &Attempts{by: by, now: first, most: most}, nil
}

type attemptsKey struct{}

// Within returns a context by which the model finds the attempts.
func (a *Attempts) Within(ctx context.Context) context.Context {
	return context.WithValue(ctx, attemptsKey{}, a)
}

// End ends the request. usage is the usage of a model that does not report its attempts, and
// cut reports whether the request was cut off. An attempt that is still under way counts at
// its bound.
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

// Attempt is an attempt of a request, to be ended by one of its methods. An attempt of a
// request without [Attempts] is not counted.
type Attempt struct {
	of *Attempts
	r  Reservation
}

// BeginAttempt begins an attempt that uses at most the amount most. A model calls it before
// it sends anything that may be charged. It does not wait: with an error there is no room,
// and the attempt must not be made.
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
	case a.now != nil && a.taken: // the attempt was given up, and may still be charged
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

// Pay ends the attempt with what it used.
func (t Attempt) Pay(u agent.Usage) { t.end(func(r Reservation) { r.Pay(u) }) }

// Lose ends an attempt that may be charged and whose usage is unknown.
func (t Attempt) Lose() { t.end(Reservation.Lose) }

// Release ends an attempt that is not charged.
func (t Attempt) Release() { t.end(Reservation.Release) }

func (t Attempt) end(how func(Reservation)) {
	if t.of == nil {
		return
	}
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	if t.of.now == t.r { // else the request was over before
		how(t.r)
		t.of.now = nil
	}
}
