package policy

import (
	"math"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
)

// verdict is the evidence that one call provides about the health of the remote service.
type verdict int

const (
	neutral   verdict = iota // no evidence: cancelled or rate limited
	healthy                  // it answered
	unhealthy                // it failed
)

// breaker is failsafe-go's breaker with additional bookkeeping. By itself, failsafe-go's
// breaker also counts calls that began in an earlier state and ended late. It also never
// frees the slot of a probe that ended without a verdict, so a half-open breaker whose
// probes were cancelled would refuse calls for ever. Therefore a ticket records the state
// in which a call began, and running probes are counted.
type breaker struct {
	settings Settings

	mu     sync.Mutex
	state  circuitbreaker.CircuitBreaker[any]
	slow   circuitbreaker.CircuitBreaker[any] // a window for slow calls only; may be nil
	era    int                                // incremented at every change of state
	probes int                                // running in this half-open era
	opened int                                // number of times it opened, from closed or half-open
	// open is the total time during which earlier openings refused calls. since is the time
	// at which the present opening began; it is zero if the breaker is not open.
	open  time.Duration
	since time.Time
}

// ticket is the era of the breaker in which a call began.
type ticket int

func newBreaker(s Settings) *breaker {
	window := func(share float64) circuitbreaker.CircuitBreaker[any] {
		n := uint(max(1, math.Ceil(share*float64(s.BreakerCalls)-1e-9))) // makes .07 of 100 equal 7 despite rounding
		return circuitbreaker.NewBuilder[any]().
			WithFailureThresholdRatio(n, uint(s.BreakerCalls)).
			WithSuccessThreshold(uint(s.BreakerProbes)).
			WithDelay(s.BreakerOpen).
			Build()
	}
	b := &breaker{settings: s, state: window(s.BreakerFailures)}
	if s.BreakerSlow > 0 {
		b.slow = window(s.BreakerSlowShare)
	}
	return b
}

// refuses returns the error with which a call would be refused now, or nil. It only
// checks: it does not admit a call.
func (b *breaker) refuses() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state.IsOpen() && b.state.RemainingDelay() > 0 {
		return &CircuitOpenError{RetryAfter: b.state.RemainingDelay()}
	}
	return nil
}

// enter admits a call, or returns an error with the time until a retry. Every admitted call
// must be followed by a call to leave.
func (b *breaker) enter() (ticket, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state.IsOpen() {
		if left := b.state.RemainingDelay(); left > 0 {
			return 0, &CircuitOpenError{RetryAfter: left}
		}
		b.state.HalfOpen()
		b.shut(time.Now())
		b.turn()
	}
	if b.state.IsHalfOpen() {
		if int(b.state.Metrics().Successes())+b.probes >= b.settings.BreakerProbes {
			return 0, &CircuitOpenError{RetryAfter: b.settings.BreakerOpen} // the time for which a failed probe would keep the breaker open
		}
		b.probes++
	}
	return ticket(b.era), nil
}

// leave records how a call ended and how long it ran.
func (b *breaker) leave(t ticket, v verdict, ran time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if int(t) != b.era {
		return // calls that began in an earlier state do not count in the present state
	}
	before := b.state.State()
	if before == circuitbreaker.HalfOpenState {
		b.probes--
	}
	if v == neutral {
		return
	}
	slow := b.slow != nil && ran > b.settings.BreakerSlow
	failed := v == unhealthy && (b.settings.BreakerFailures > 0 || before == circuitbreaker.HalfOpenState)
	switch {
	case before == circuitbreaker.HalfOpenState && slow, failed:
		b.state.RecordFailure()
	default:
		b.state.RecordSuccess()
	}
	if b.slow != nil && before == circuitbreaker.ClosedState {
		if slow {
			b.slow.RecordFailure()
		} else {
			b.slow.RecordSuccess()
		}
		if b.slow.IsOpen() {
			b.state.Open()
		}
	}
	if b.state.State() != before {
		if b.state.IsOpen() {
			b.opened++
			b.since = time.Now()
		}
		b.turn()
	}
}

// turn begins a new era with empty windows.
func (b *breaker) turn() {
	b.era++
	b.probes = 0
	if b.slow != nil {
		b.slow.Open() // closing an open breaker clears its window
		b.slow.Close()
	}
}

// openings returns how many times the breaker opened, and the total time during which it
// refused calls.
func (b *breaker) openings(now time.Time) (times int, open time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.opened, b.open + b.refusing(now)
}

// refusing returns for how long the breaker has been refusing calls since it last opened.
func (b *breaker) refusing(now time.Time) time.Duration {
	if b.since.IsZero() {
		return 0
	}
	return min(now.Sub(b.since), b.settings.BreakerOpen)
}

// shut ends a period in which the breaker is open.
func (b *breaker) shut(now time.Time) {
	b.open += b.refusing(now)
	b.since = time.Time{}
}

// name returns the state that statistics show: an open breaker that would let a probe
// through is shown as half open.
func (b *breaker) name() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.state.IsClosed():
		return "closed"
	case b.state.IsOpen() && b.state.RemainingDelay() > 0:
		return "open"
	}
	return "half_open"
}
