package bench

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrBudget means that an evaluation was not started because money or time would
// not have sufficed for it.
var ErrBudget = errors.New("the budget is used up")

// sampled bounds the costs and durations that a budget remembers.
const sampled = 256

// Budget keeps money and time. Money is reserved before it is spent: an
// evaluation starts only when what is spent, plus the 90th percentile of the
// costs seen for everything in flight and for itself, stays within the limit.
// While no cost is known, one evaluation at a time may find it out. It is safe
// for concurrent use.
type Budget struct {
	now func() time.Time

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced whenever a reservation is settled
	limitUSD float64
	stop     time.Time // no evaluation may start that would probably end after it
	spent    float64
	inFlight int
	costs    []float64
	times    []time.Duration
	next     int
	made     Made
}

// Made is what evaluations have taken in all: how many were made, a retry counted as
// one, how long they took together and what they cost.
type Made struct {
	Evaluations int
	Took        time.Duration
	USD         float64
}

// NewBudget makes a budget; usd 0 and a zero stop bound nothing.
func NewBudget(usd float64, stop time.Time, now func() time.Time) *Budget {
	return &Budget{now: now, limitUSD: usd, stop: stop, changed: make(chan struct{})}
}

// Limit replaces the bounds: each stage of a run has its own share.
func (b *Budget) Limit(usd float64, stop time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limitUSD, b.stop = usd, stop
}

// Add counts money that was spent before, by the part of a run that is resumed.
func (b *Budget) Add(usd float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent += usd
}

// Left is the time in which evaluations may still begin, 0 when it is over, and whether
// there is such a bound.
func (b *Budget) Left() (left time.Duration, bounded bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stop.IsZero() {
		return 0, false
	}
	return max(b.stop.Sub(b.now()), 0), true
}

// Spent is the money spent so far, USD.
func (b *Budget) Spent() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent
}

// Made is what was made since the budget was; what [Budget.Add] counts is not in it.
func (b *Budget) Made() Made {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.made
}

// Forget drops the costs and durations seen: another agent's evaluations begin.
func (b *Budget) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.costs, b.times, b.next = nil, nil, 0
}

// Ticket is one reservation, to be settled once.
type Ticket struct{ b *Budget }

// Reserve waits until the money for one more evaluation is free and takes it, or
// fails with ErrBudget when it will not be, or with the context's cause.
func (b *Budget) Reserve(ctx context.Context) (Ticket, error) {
	for {
		if err := context.Cause(ctx); err != nil {
			return Ticket{}, err
		}
		b.mu.Lock()
		if !b.stop.IsZero() && b.now().Add(percentile(b.times)).After(b.stop) {
			b.mu.Unlock()
			return Ticket{}, ErrBudget
		}
		blind := b.limitUSD > 0 && len(b.costs) == 0 && b.inFlight > 0
		short := b.limitUSD > 0 && b.spent+percentile(b.costs)*float64(b.inFlight+1) > b.limitUSD
		if !blind && !short {
			b.inFlight++
			b.mu.Unlock()
			return Ticket{b}, nil
		}
		if short && b.inFlight == 0 {
			b.mu.Unlock()
			return Ticket{}, ErrBudget
		}
		changed := b.changed
		b.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// Fits reports whether n more evaluations, parallel of them at once, would end within
// the bounds if they cost and took what those before did on average. It reserves
// nothing; of a budget that has seen nothing it says yes.
func (b *Budget) Fits(n, parallel int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.costs) == 0 {
		return true
	}
	var cost float64
	var took time.Duration
	for i, c := range b.costs {
		cost += c
		took += b.times[i]
	}
	seen, parallel := len(b.costs), max(1, parallel)
	if b.limitUSD > 0 && b.spent+cost/float64(seen)*float64(n) > b.limitUSD {
		return false
	}
	rounds := (n + parallel - 1) / parallel
	return b.stop.IsZero() || !b.now().Add(took/time.Duration(seen)*time.Duration(rounds)).After(b.stop)
}

// Settle gives the reservation back and counts what was really spent.
func (t Ticket) Settle(usd float64, took time.Duration) {
	b := t.b
	b.mu.Lock()
	defer b.mu.Unlock()
	b.inFlight--
	b.spent += usd
	b.made.Evaluations++
	b.made.Took += took
	b.made.USD += usd
	if len(b.costs) < sampled {
		b.costs = append(b.costs, usd)
		b.times = append(b.times, took)
	} else {
		b.costs[b.next], b.times[b.next] = usd, took
		b.next = (b.next + 1) % sampled
	}
	close(b.changed)
	b.changed = make(chan struct{})
}

// percentile is the 90th of a sample, 0 of an empty one.
func percentile[T float64 | time.Duration](sample []T) T {
	if len(sample) == 0 {
		return 0
	}
	sorted := slices.Clone(sample)
	slices.Sort(sorted)
	return sorted[(len(sorted)-1)*9/10]
}
