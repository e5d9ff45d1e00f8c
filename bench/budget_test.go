package bench

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestBudgetReservesBeforeItSpends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(1.0, time.Time{}, time.Now)
		ctx := t.Context()
		first, err := b.Reserve(ctx)
		if err != nil {
			t.Fatal(err)
		}
		// While no cost is known, a second evaluation waits for the first.
		second := make(chan Ticket)
		go func() {
			ticket, err := b.Reserve(ctx)
			if err != nil {
				t.Error(err)
			}
			second <- ticket
		}()
		synctest.Wait()
		select {
		case <-second:
			t.Fatal("a second evaluation started while no cost was known")
		default:
		}
		first.Settle(0.4, time.Second)
		ticket := <-second // .4 spent + .4 reserved
		if _, err := b.Reserve(expired(t, 5*time.Second)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a third evaluation did not wait for the second: %v", err)
		}
		ticket.Settle(0.4, time.Second)
		if _, err := b.Reserve(ctx); !errors.Is(err, ErrBudget) {
			t.Errorf("with .8 of 1.0 spent and .4 expected: %v, want ErrBudget", err)
		}
		if got := b.Spent(); got != 0.8 {
			t.Errorf("spent %v, want .8", got)
		}
	})
}

func TestBudgetCheapEvaluationsGoOn(t *testing.T) {
	b := NewBudget(1.0, time.Time{}, time.Now)
	for i := range 9 {
		ticket, err := b.Reserve(t.Context())
		if err != nil {
			t.Fatalf("evaluation %d: %v", i, err)
		}
		ticket.Settle(0.1, time.Second)
	}
	if _, err := b.Reserve(t.Context()); err != nil {
		t.Errorf("the tenth of ten at .1 each: %v", err)
	}
}

func TestBudgetStopsBeforeTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(0, time.Now().Add(time.Minute), time.Now)
		ticket, err := b.Reserve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ticket.Settle(0, 20*time.Second)
		time.Sleep(39 * time.Second)
		if _, err := b.Reserve(t.Context()); err != nil {
			t.Errorf("21 s before the deadline, at 20 s each: %v", err)
		}
		time.Sleep(2 * time.Second)
		if _, err := b.Reserve(t.Context()); !errors.Is(err, ErrBudget) {
			t.Errorf("19 s before the deadline, at 20 s each: %v, want ErrBudget", err)
		}
	})
}

func TestBudgetWithoutBounds(t *testing.T) {
	b := NewBudget(0, time.Time{}, time.Now)
	for range 3 {
		if _, err := b.Reserve(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// expired returns a context that ends after d of the synctest bubble's time.
func expired(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestBudgetFits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(10, time.Now().Add(time.Minute), time.Now)
		if !b.Fits(1_000_000, 1) {
			t.Error("before anything is known, something does not fit")
		}
		for _, usd := range []float64{.5, 1.5} { // 1 USD and 3 s on average
			ticket, err := b.Reserve(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			ticket.Settle(usd, time.Duration(usd*2+1)*time.Second)
		}
		for _, c := range []struct {
			n, parallel int
			want        bool
		}{
			{8, 1, true}, {9, 1, false}, {9, 100, false}, // 8 USD are left
		} {
			if got := b.Fits(c.n, c.parallel); got != c.want {
				t.Errorf("%d evaluations, %d at once: %v", c.n, c.parallel, got)
			}
		}
		b.Limit(0, time.Now().Add(9*time.Second))
		for _, c := range []struct {
			n, parallel int
			want        bool
		}{
			{3, 1, true}, {4, 1, false}, {12, 4, true}, {13, 4, false}, {3, 0, true},
		} {
			if got := b.Fits(c.n, c.parallel); got != c.want {
				t.Errorf("%d evaluations in 9 s, %d at once: %v", c.n, c.parallel, got)
			}
		}
	})
}

// TestBudgetReservesCallsApart checks that a call reserves the most that it can cost,
// that an evaluation reserves what evaluations cost, and that evaluations that cost
// nothing continue when no money is left.
func TestBudgetReservesCallsApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(.10, time.Time{}, time.Now)
		var account Account
		b.Keep(Account{}, func(a Account) error { account = a; return nil })
		first, err := b.Reserve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		first.Settle(0, time.Second)
		call, err := b.ReserveCall(t.Context(), .08, true)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.ReserveCall(expired(t, time.Second), .08, true); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a second call of up to .08 beside the first within .10: %v", err)
		}
		call.Pay(.05)
		if _, err := b.ReserveCall(t.Context(), .06, true); !errors.Is(err, ErrBudget) {
			t.Errorf("a call of up to .06 with .05 of .10 spent: %v", err)
		}
		second, err := b.ReserveCall(t.Context(), .05, true)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := b.Reserve(t.Context()); err != nil {
				t.Errorf("a free evaluation: %v", err)
			}
		}
		// After a kill, the call is charged at its maximum cost, and the three free
		// evaluations cost nothing.
		if account.USD < .0999 || account.USD > .1002 || account.Unknown != 0 {
			t.Errorf("the account holds %+v", account)
		}
		second.Abandon(0)
		if _, err := b.Reserve(t.Context()); err != nil {
			t.Errorf("a free evaluation without money: %v", err)
		}
		if made := b.Made(); made.USD != 0 || b.Spent() < .0999 {
			t.Errorf("made %+v, spent %v", made, b.Spent())
		}
	})
}
