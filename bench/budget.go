package bench

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrBudget means that an evaluation did not start because money or time would not have
// sufficed.
var ErrBudget = errors.New("the budget is used up")

// sampled bounds the number of costs and durations that a budget keeps.
const sampled = 256

// Budget accounts for money and time. Money is reserved before it is spent: an evaluation
// starts only when the money spent, plus the 90th percentile of the costs seen for each
// evaluation in flight and for itself, stays within the limit. While no cost is known,
// only one evaluation runs at a time. A Budget is safe for concurrent use.
type Budget struct {
	now func() time.Time

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced whenever a reservation is settled
	limitUSD float64
	stop     time.Time // no evaluation starts that would probably end later
	spent    float64
	inFlight int
	costs    []float64
	times    []time.Duration
	next     int
	made     Made
}

// Made is the total of evaluations: their number, a retry counted as one, their time and
// their cost.
type Made struct {
	Evaluations int
	Took        time.Duration
	USD         float64
}

// NewBudget returns a budget. usd 0 and a zero stop set no bound.
func NewBudget(usd float64, stop time.Time, now func() time.Time) *Budget {
	return &Budget{now: now, limitUSD: usd, stop: stop, changed: make(chan struct{})}
}

// Limit replaces the bounds, since each stage of a run has its own share.
func (b *Budget) Limit(usd float64, stop time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limitUSD, b.stop = usd, stop
}

// Add counts money that a resumed run spent before its interruption.
func (b *Budget) Add(usd float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent += usd
}

// Left returns the time in which evaluations may still start, 0 when it is over, and
// whether there is such a bound.
func (b *Budget) Left() (left time.Duration, bounded bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stop.IsZero() {
		return 0, false
	}
	return max(b.stop.Sub(b.now()), 0), true
}

// Spent returns the money spent so far, in USD.
func (b *Budget) Spent() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent
}

// Made returns the total since the budget was created, without [Budget.Add].
func (b *Budget) Made() Made {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.made
}

// Forget drops the costs and durations seen, for the evaluations of another agent.
func (b *Budget) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.costs, b.times, b.next = nil, nil, 0
}

// Ticket is one reservation, to be settled exactly once.
type Ticket struct{ b *Budget }

// Reserve waits until there is money for one more evaluation and reserves it. It returns
// ErrBudget when there will be none, or the context's cause.
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

// Fits reports whether n more evaluations, parallel of them at once, would end within the
// bounds at the average cost and time of the evaluations before. It reserves nothing.
// Without earlier evaluations it returns true.
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

// Settle ends the reservation and counts the actual cost and time.
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

// Pay ends the reservation of a call that is no evaluation, and counts its cost.
func (t Ticket) Pay(usd float64) {
	b := t.b
	b.mu.Lock()
	defer b.mu.Unlock()
	b.inFlight--
	b.spent += usd
	b.made.USD += usd
	close(b.changed)
	b.changed = make(chan struct{})
}

// percentile returns the 90th percentile of a sample, 0 for an empty one.
func percentile[T float64 | time.Duration](sample []T) T {
	if len(sample) == 0 {
		return 0
	}
	sorted := slices.Clone(sample)
	slices.Sort(sorted)
	return sorted[(len(sorted)-1)*9/10]
}
