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

// sampled is the maximum number of costs and durations that a budget keeps.
const sampled = 256

// Budget accounts for money and time. Money is reserved before it is spent: an evaluation
// starts only if the sum of three amounts stays within the limit. These are the money
// spent, the 90th percentile of the costs seen so far, counted once for each evaluation
// in flight and once for the new one, and the maximum cost of the model calls under way.
// Evaluations that cost nothing start even when no money is left. While no cost is known,
// only one evaluation runs at a time. A Budget is safe for concurrent use.
type Budget struct {
	now   func() time.Time
	books books
	// whole is the budget of which this one is a part; it may be nil.
	whole *Budget

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced whenever a reservation is settled
	limitUSD float64
	stop     time.Time // an evaluation that would probably end later does not start
	spent    float64
	// inFlight is the number of evaluations under way, and calls is the number of calls
	// under way.
	inFlight, calls int
	// called is the maximum cost of the calls under way, held is the sum of called and of
	// the estimates for the evaluations under way, and unknown is the number of evaluations
	// without an estimate.
	called, held float64
	unknown      int
	// most is the highest cost seen for one evaluation; it is negative while none is known.
	most float64
	// lost is the number of evaluations of a killed process for which the cost is still
	// unknown.
	lost  int
	costs []float64
	times []time.Duration
	next  int
	made  Made
}

// Made holds the totals of evaluations: the number of those that gave a score, their time,
// and what all of them cost. An attempt that failed because of infrastructure says nothing
// about the time of an evaluation, so only what it cost is included. Calls that are not
// evaluations are not included.
type Made struct {
	Evaluations int
	Took        time.Duration
	USD         float64
}

// NewBudget returns a budget. A usd of 0 means that money is not limited, and a zero stop
// that time is not limited.
func NewBudget(usd float64, stop time.Time, now func() time.Time) *Budget {
	return &Budget{now: now, limitUSD: usd, stop: stop, changed: make(chan struct{}), most: unseen}
}

// Part returns a budget for one of several agents that run at once. The part has its own
// bounds, costs and durations. Its money is also reserved and spent in b, which stores
// the account. A usd of 0 means that the part's money is not limited, and a zero stop
// means that its time is not limited.
func (b *Budget) Part(usd float64, stop time.Time) *Budget {
	part := NewBudget(usd, stop, b.now)
	part.whole = b
	return part
}

// Limit replaces the bounds, because each stage of a run has its own share.
func (b *Budget) Limit(usd float64, stop time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limitUSD, b.stop = usd, stop
}

// Left returns the time in which evaluations may still start, or 0 when that time is over,
// and reports whether the time is limited.
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

// Total returns the money spent so far, in USD. If b is a part of another budget, Total
// counts the money spent in the whole budget.
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

// Made returns the totals of this process, without those of earlier processes.
func (b *Budget) Made() Made {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.made
}

// Forget drops the costs and durations seen, because evaluations of another agent follow.
// most is the highest cost, in USD, of an evaluation of that agent in an earlier process of
// the run; it is negative if no such cost is known.
func (b *Budget) Forget(most float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.costs, b.times, b.next, b.most = nil, nil, 0, unseen
	b.see(most)
}

// unseen is the value of the field most while no cost is known.
const unseen = -1

// see updates the highest cost with the cost usd. It then charges the highest cost for each
// evaluation that a kill cut off before any cost was known.
func (b *Budget) see(usd float64) {
	b.inWhole(func(w *Budget) { w.see(usd) })
	if b.most = max(b.most, usd); b.most >= 0 {
		b.spent += float64(b.lost) * b.most
		b.lost = 0
	}
}

// inWhole calls a function with the budget of which b is a part; it does nothing if b is
// not a part of another budget.
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

// Ticket is one reservation, which must be ended exactly once.
type Ticket struct {
	b *Budget
	// held is the estimate of the cost; it is negative if there is none.
	held float64
	// call reports whether the ticket is for a call, whose cost is at most the amount
	// held.
	call bool
}

// Reserve waits until there is money for one more evaluation, reserves it and stores the
// account. It returns ErrBudget if there will not be enough money, an error that wraps
// ErrRecorder if the account cannot be stored, or the context's cause.
func (b *Budget) Reserve(ctx context.Context) (Ticket, error) { return b.enterWith(ctx, nil, true) }

// ReserveCall is like Reserve, but reserves the given amount, in USD, for a model call
// that is not part of an evaluation. If wait is false, it does not wait for money that
// other reservations hold, but returns ErrBudget.
func (b *Budget) ReserveCall(ctx context.Context, atMost float64, wait bool) (Ticket, error) {
	return b.enterWith(ctx, &atMost, wait)
}

// enterWith makes a reservation for an evaluation, or for a call that costs at most the
// given amount, and stores the account.
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

// fits reports whether the limit allows the reservation t now. If it does not, hopeless
// reports whether waiting for other reservations to end cannot help.
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

// Fits reports whether n more evaluations, parallel of them at a time, would end within the
// bounds if each cost and took as much as the earlier evaluations on average. It reserves
// nothing. Without earlier evaluations it returns true.
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

// Pay ends a reservation and counts usd as the cost. It is for calls that are not
// evaluations, and for evaluations that gave no score or were withdrawn before the agent
// began them.
func (t Ticket) Pay(usd float64) { t.release(usd) }

// Abandon ends the reservation of an evaluation or a call that was cut off. It counts the
// larger of usd and the estimate, because a call that was cut off must be paid for although
// it may report no cost.
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

// pay replaces the reservation of an evaluation with the evaluation's cost.
func (b *Budget) pay(t Ticket, usd float64) {
	b.end(t, usd)
	b.made.USD += usd
	b.see(usd)
	b.wake()
}

// end replaces a reservation with its cost. In the budget of which b is a part, this is
// one step, because an account that is stored between two steps would contain neither the
// reservation nor the cost.
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

// count adds a reservation to those under way if n is 1, and removes it if n is -1.
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

// holdPart adds a reservation made by a part of the budget if n is 1, and removes it if n
// is -1. It treats the reservation like the maximum cost of a call, because the whole
// budget does not use the estimates of the part.
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

// percentile returns the 90th percentile of a sample, or 0 for an empty one.
func percentile[T float64 | time.Duration](sample []T) T {
	if len(sample) == 0 {
		return 0
	}
	sorted := slices.Clone(sample)
	slices.Sort(sorted)
	return sorted[(len(sorted)-1)*9/10]
}
