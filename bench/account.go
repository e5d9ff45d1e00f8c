package bench

import (
	"fmt"
	"sync"
)

// Account is the record of a run's spending. If the run's process is killed, the resumed
// run starts from this record.
type Account struct {
	// USD is the sum of three amounts, in USD: the money spent, the reservations of the
	// evaluations and calls under way, and a margin. The reservation for an evaluation is
	// the highest cost seen so far, and the reservation for a call is the call's maximum
	// cost. The margin makes most writes unnecessary.
	USD float64 `json:"usd"`
	// Unknown counts the evaluations under way that began while no cost was known.
	Unknown int `json:"unknown,omitempty"`
}

// margin is the amount by which a stored account exceeds the money spent and reserved, as a
// share of the run's limit, or of that money if the run has no limit.
const margin = .001

// books stores the accounts of a budget, one at a time.
type books struct {
	mu sync.Mutex
	// store stores an account so that it survives the process; if store is nil, nothing
	// is stored.
	store func(Account) error
	last  Account
}

// Keep sets the account from which the budget starts: the account that the run's last
// process stored. It also sets the function that stores accounts. Before each reservation
// that the last stored account does not cover, the budget stores a new account. Call Keep
// before the first reservation.
func (b *Budget) Keep(last Account, store func(Account) error) {
	b.books.store, b.books.last = store, last
	b.spent, b.lost = last.USD, last.Unknown
}

// Close stores the final account, without reservations or margin. Call it when no
// evaluation or call is under way.
func (b *Budget) Close() error {
	b.mu.Lock()
	a := Account{USD: b.spent, Unknown: b.lost}
	b.mu.Unlock()
	return b.books.put(a)
}

// enter stores an account that covers all money spent and reserved, unless the last stored
// account already covers it.
func (b *Budget) enter() error {
	if b.whole != nil {
		return b.whole.enter()
	}
	if b.books.store == nil {
		return nil
	}
	b.books.mu.Lock()
	defer b.books.mu.Unlock()
	b.mu.Lock()
	a := Account{USD: b.spent + b.held, Unknown: b.lost + b.unknown}
	ahead := margin * max(b.limitUSD, a.USD)
	b.mu.Unlock()
	last := b.books.last
	switch {
	case a.USD > last.USD:
		a.USD += ahead
	case a.Unknown != last.Unknown:
		a.USD = last.USD
	default:
		return nil
	}
	return b.books.write(a)
}

// put stores an account unless it equals the last one.
func (b *books) put(a Account) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.store == nil || a == b.last {
		return nil
	}
	return b.write(a)
}

// write stores an account. Its error wraps [ErrRecorder].
func (b *books) write(a Account) error {
	if err := b.store(a); err != nil {
		return fmt.Errorf("%w: the spending of the run: %w", ErrRecorder, err)
	}
	b.last = a
	return nil
}
