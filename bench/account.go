package bench

import (
	"fmt"
	"sync"
)

// Account is the money of a run as the next process counts it when this one is killed.
type Account struct {
	// USD is what was spent and what is reserved: the highest cost seen for each evaluation
	// under way, and a margin that saves most of the writes.
	USD float64 `json:"usd"`
	// Unknown counts the evaluations under way that began while no cost was known.
	Unknown int `json:"unknown,omitempty"`
}

// margin is the part of the limit, or of what is spent where there is none, that an account
// is ahead.
const margin = .001

// books stores the accounts of a budget, one at a time.
type books struct {
	mu sync.Mutex
	// store stores an account so that it survives the process; nil: nothing is stored.
	store func(Account) error
	last  Account
}

// Keep makes the budget go on from the account of the run's last process, and store its
// own before each reservation that the stored one does not cover. It must be called before
// the first reservation.
func (b *Budget) Keep(last Account, store func(Account) error) {
	b.books.store, b.books.last = store, last
	b.spent, b.lost = last.USD, last.Unknown
}

// Close stores the account when nothing is under way.
func (b *Budget) Close() error {
	b.mu.Lock()
	a := Account{USD: b.spent, Unknown: b.lost}
	b.mu.Unlock()
	return b.books.put(a)
}

// enter stores an account that covers what is reserved, unless the last one does.
func (b *Budget) enter() error {
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

func (b *books) put(a Account) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.store == nil || a == b.last {
		return nil
	}
	return b.write(a)
}

func (b *books) write(a Account) error {
	if err := b.store(a); err != nil {
		return fmt.Errorf("%w: the money of the run: %w", ErrRecorder, err)
	}
	b.last = a
	return nil
}
