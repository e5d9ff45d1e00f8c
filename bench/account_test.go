package bench

import (
	"errors"
	"math"
	"testing"
	"time"
)

// TestAccountCoversAKill kills a budget's process at each point. It checks that the next
// process counts at least the spending, and at most the spending plus the cost of the
// evaluations in progress.
func TestAccountCoversAKill(t *testing.T) {
	const limit, each = 1.0, .05
	var stored Account
	store := func(a Account) error { stored = a; return nil }
	spent, evaluations := 0.0, 0
	for kill := range 4 {
		b := NewBudget(limit, time.Time{}, time.Now)
		b.Keep(stored, store)
		if kill > 0 {
			b.Forget(each)
		}
		for n := range 8 {
			ticket, err := b.Reserve(t.Context())
			if errors.Is(err, ErrBudget) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			spent += each
			evaluations++
			if n == 3 && kill < 3 { // killed during the fourth
				break
			}
			ticket.Settle(each, time.Second)
		}
		if stored.USD+float64(stored.Unknown)*each < spent-1e-9 || stored.USD > spent+.01 {
			t.Errorf("after kill %d the account is %+v, %v were spent", kill, stored, spent)
		}
	}
	if spent > limit || evaluations < 18 {
		t.Errorf("%v of %v spent in %d evaluations", spent, limit, evaluations)
	}
}

// TestAccountOfTheFirstEvaluation checks that if the first evaluation was killed, its
// cost is counted as soon as the first cost is known.
func TestAccountOfTheFirstEvaluation(t *testing.T) {
	var stored Account
	store := func(a Account) error { stored = a; return nil }
	b := NewBudget(1, time.Time{}, time.Now)
	b.Keep(Account{}, store)
	if _, err := b.Reserve(t.Context()); err != nil || stored.Unknown != 1 {
		t.Fatalf("%+v, %v", stored, err)
	}
	b = NewBudget(1, time.Time{}, time.Now)
	b.Keep(stored, store)
	ticket, err := b.Reserve(t.Context())
	if err != nil || stored.Unknown != 2 {
		t.Fatalf("%+v, %v", stored, err)
	}
	ticket.Settle(.1, time.Second)
	if err := b.Close(); err != nil || math.Abs(stored.USD-.2) > 1e-9 || stored.Unknown != 0 {
		t.Errorf("%+v, %v", stored, err)
	}
}

// TestAccountIsStoredFirst checks that if the account cannot be stored, nothing begins and
// the reservation is freed.
func TestAccountIsStoredFirst(t *testing.T) {
	b := NewBudget(1, time.Time{}, time.Now)
	b.Keep(Account{}, func(Account) error { return errors.New("the disk is full") })
	for range 2 {
		if _, err := b.Reserve(t.Context()); !errors.Is(err, ErrRecorder) {
			t.Errorf("%v, want ErrRecorder", err)
		}
	}
}

// TestAccountIsRarelyWritten checks that a long run of cheap evaluations writes the account
// about a thousand times, and a run of free evaluations almost never.
func TestAccountIsRarelyWritten(t *testing.T) {
	for usd, most := range map[float64]int{.0001: 1010, 0: 2} {
		writes := 0
		b := NewBudget(1, time.Time{}, time.Now)
		b.Keep(Account{}, func(Account) error { writes++; return nil })
		for range 9000 {
			ticket, err := b.Reserve(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			ticket.Settle(usd, time.Second)
		}
		if writes > most {
			t.Errorf("%d writes at %v USD each", writes, usd)
		}
	}
}
