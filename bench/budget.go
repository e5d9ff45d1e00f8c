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
// evaluation in flight and for itself, plus the maximum cost of the model calls under way,
// stays within the limit. Evaluations that cost nothing start even when no money is left.
// While no cost is known, only one evaluation runs at a time. A Budget is safe for
// concurrent use.
type Budget struct {
	now   func() time.Time
	books books
	// whole is the budget that this one is a part of; nil for none.
	whole *Budget

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced whenever a reservation is settled
	limitUSD float64
	stop     time.Time // no evaluation starts that would probably end later
	spent    float64
	// inFlight and calls count the evaluations and the calls under way.
	inFlight, calls int
	// called is the maximum cost of the calls under way, held the sum of that and of the
	// estimates for the evaluations under way, and unknown the number of evaluations without
	// an estimate.
	called, held float64
	unknown      int
	// most is the highest cost seen of one evaluation, negative while none is known.
	most float64
	// lost counts the evaluations of a killed process whose cost is still unknown.
	lost  int
	costs []float64
	times []time.Duration
	next  int
	made  Made
}

// Made is the total of evaluations: their number, a retry counted as one, their time and
// their cost. Calls that are not evaluations are not included.
type Made struct {
	Evaluations int
	Took        time.Duration
	USD         float64
}

// NewBudget returns a budget. usd 0 and a zero stop set no bound.
func NewBudget(usd float64, stop time.Time, now func() time.Time) *Budget {
	return &Budget{now: now, limitUSD: usd, stop: stop, changed: make(chan struct{}), most: unseen}
}

// Part returns a budget for one of several agents that run at once. Its bounds, costs and
// durations are its own. Its money is reserved and spent in b as well, which stores the account.
// usd 0 and a zero stop set no bound.
func (b *Budget) Part(usd float64, stop time.Time) *Budget {
	part := NewBudget(usd, stop, b.now)
	part.whole = b
	return part
}

// Limit replaces the bounds, since each stage of a run has its own share.
func (b *Budget) Limit(usd float64, stop time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limitUSD, b.stop = usd, stop
}

// Left returns the time in which evaluations may still start, 0 when it is over, and
// reports whether there is such a bound.
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

// Total returns the money spent so far in the whole that b is a part of, in USD; without one it
// is that of b.
func (b *Budget) Total() float64 {
	if b.whole != nil {
		return b.whole.Total()
	}
	return b.Spent()
}

// Exhausted reports whether the limit is reached, so that no call that costs money fits.
func (b *Budget) Exhausted() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.limitUSD > 0 && b.spent >= b.limitUSD
}

// Made returns the total of this process, without the account of an earlier one.
func (b *Budget) Made() Made {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.made
}

// Forget drops the costs and durations seen, for the evaluations of another agent. most is
// the highest cost that an earlier process of the run saw of one of them, in USD, negative
// when there is none.
func (b *Budget) Forget(most float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.costs, b.times, b.next, b.most = nil, nil, 0, unseen
	b.see(most)
}

// unseen stands for the highest cost while no cost is known.
const unseen = -1

// see updates the highest cost. It then charges the evaluations that a kill cut off, whose
// cost was unknown, at the highest cost each.
func (b *Budget) see(usd float64) {
	b.inWhole(func(w *Budget) { w.see(usd) })
	if b.most = max(b.most, usd); b.most >= 0 {
		b.spent += float64(b.lost) * b.most
		b.lost = 0
	}
}

// inWhole calls a function with the budget that b is a part of, if there is one.
func (b *Budget) inWhole(do func(w *Budget)) {
	if b.whole == nil {
		return
	}
	b.whole.mu.Lock()
	defer b.whole.mu.Unlock()
	do(b.whole)
}

// expected returns the expected cost of the next evaluation.
func (b *Budget) expected() float64 {
	if len(b.costs) == 0 {
		return max(0, b.most)
	}
	return percentile(b.costs)
}

// Ticket is one reservation, to be ended exactly once.
type Ticket struct {
	b *Budget
	// held is the estimate of its cost, negative where there is none.
	held float64
	// call reports whether it is for a call, whose cost is at most held.
	call bool
}

// Reserve waits until there is money for one more evaluation, reserves it and stores the
// account. It returns ErrBudget when there will be none, an error that wraps ErrRecorder
// when the account cannot be stored, or the context's cause.
func (b *Budget) Reserve(ctx context.Context) (Ticket, error) { return b.enterWith(ctx, nil, true) }

// ReserveCall is Reserve for a call of a model that is not an evaluation and costs at most
// the given amount, in USD. Without waiting, it returns ErrBudget also while others hold the
// money.
func (b *Budget) ReserveCall(ctx context.Context, atMost float64, wait bool) (Ticket, error) {
	return b.enterWith(ctx, &atMost, wait)
}

// enterWith reserves for an evaluation, or for a call that costs at most the given amount,
// and stores the account.
func (b *Budget) enterWith(ctx context.Context, atMost *float64, wait bool) (Ticket, error) {
	t, err := b.reserve(ctx, atMost, wait)
	if err != nil {
		return t, err
	}
	if err := b.enter(); err != nil {
		t.release(0)
		return Ticket{}, err
	}
	return t, nil
}

func (b *Budget) reserve(ctx context.Context, atMost *float64, wait bool) (Ticket, error) {
	for {
		if err := context.Cause(ctx); err != nil {
			return Ticket{}, err
		}
		b.mu.Lock()
		if !b.stop.IsZero() && b.now().Add(percentile(b.times)).After(b.stop) {
			b.mu.Unlock()
			return Ticket{}, ErrBudget
		}
		t := Ticket{b: b, held: b.most}
		if atMost != nil {
			t.held, t.call = *atMost, true
		}
		fits, hopeless := b.fits(t)
		if fits {
			b.hold(t)
			b.mu.Unlock()
			return t, nil
		}
		if hopeless || !wait {
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

// fits reports whether the limit allows a reservation now, or else whether it never will.
func (b *Budget) fits(t Ticket) (fits, hopeless bool) {
	blind := len(b.costs) == 0 && b.inFlight > 0
	under := b.expected() * float64(b.inFlight) // way
	if t.call {
		short := b.spent+b.called+under+t.held > b.limitUSD
		return b.limitUSD <= 0 || !blind && !short, b.spent+t.held > b.limitUSD
	}
	free := len(b.costs) > 0 && b.expected() == 0
	short := !free && b.spent+b.called+under+b.expected() > b.limitUSD
	return b.limitUSD <= 0 || !blind && !short, short && b.inFlight+b.calls == 0
}

// Fits reports whether n more evaluations, parallel of them at once, would end within the
// bounds at the average cost and time of earlier evaluations. It reserves nothing.
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
	b.pay(t, usd)
	b.made.Evaluations++
	b.made.Took += took
	if len(b.costs) < sampled {
		b.costs = append(b.costs, usd)
		b.times = append(b.times, took)
	} else {
		b.costs[b.next], b.times[b.next] = usd, took
		b.next = (b.next + 1) % sampled
	}
}

// Pay ends the reservation of a call that is not an evaluation, or of an evaluation that was
// withdrawn before the agent began it, and counts its cost.
func (t Ticket) Pay(usd float64) { t.release(usd) }

// Abandon ends the reservation of an evaluation or a call that was cut off, and counts what it
// reported but at least the estimate: a call that is cut off is paid for and reports nothing.
func (t Ticket) Abandon(usd float64) { t.release(max(usd, t.held)) }

// release ends the reservation and counts its cost, which does not enter the estimates for
// other evaluations.
func (t Ticket) release(usd float64) {
	b := t.b
	b.mu.Lock()
	defer b.mu.Unlock()
	b.end(t, usd)
	if !t.call {
		b.made.USD += usd
	}
	b.wake()
}

// pay ends the reservation of an evaluation with its cost.
func (b *Budget) pay(t Ticket, usd float64) {
	b.end(t, usd)
	b.made.USD += usd
	b.see(usd)
	b.wake()
}

// end replaces a reservation by its cost. In the whole budget this is one step, because an
// account that is stored between two steps would contain neither.
func (b *Budget) end(t Ticket, usd float64) {
	b.inWhole(func(w *Budget) {
		w.holdPart(t, -1)
		w.spent += usd
		w.wake()
	})
	b.count(t, -1)
	b.spent += usd
}

// hold adds a reservation to those under way.
func (b *Budget) hold(t Ticket) {
	b.inWhole(func(w *Budget) { w.holdPart(t, 1) })
	b.count(t, 1)
}

// count adds a reservation to those under way for n = 1, and removes it for n = -1.
func (b *Budget) count(t Ticket, n int) {
	held := float64(n) * max(0, t.held)
	switch b.held += held; {
	case t.call:
		b.calls += n
		b.called += held
	case t.held < 0:
		b.unknown += n
		fallthrough
	default:
		b.inFlight += n
	}
}

// holdPart is like count, for a reservation of a part. It is held like the maximum cost of a
// call, because the estimates of the whole are not those of the part.
func (b *Budget) holdPart(t Ticket, n int) {
	held := float64(n) * max(0, t.held)
	b.held += held
	b.called += held
	if !t.call && t.held < 0 {
		b.unknown += n
	}
}

// wake notifies the callers that wait for money.
func (b *Budget) wake() {
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
