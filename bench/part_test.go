package bench

import (
	"errors"
	"math"
	"testing"
	"time"
)

// TestPartsOfABudget checks that each part has its own bounds, and that the whole has the
// money of all parts and stores the account that covers them.
func TestPartsOfABudget(t *testing.T) {
	var stored Account
	whole := NewBudget(10, time.Time{}, time.Now)
	whole.Keep(Account{USD: 1}, func(a Account) error { stored = a; return nil })
	one, two := whole.Part(.5, time.Time{}), whole.Part(4, time.Time{})
	first, err := one.Reserve(t.Context())
	if err != nil || stored.Unknown != 1 {
		t.Fatalf("%+v, %v", stored, err)
	}
	other, err := two.Reserve(t.Context()) // it does not wait until the cost of the other agent's evaluations is known
	if err != nil || stored.Unknown != 2 {
		t.Fatalf("%+v, %v", stored, err)
	}
	first.Settle(.2, time.Second)
	other.Settle(2, time.Minute)
	if one.Spent() != .2 || two.Spent() != 2 || math.Abs(one.Total()-3.2) > 1e-9 || whole.Spent() != one.Total() {
		t.Errorf("the parts spent %v and %v, the whole %v", one.Spent(), two.Spent(), whole.Spent())
	}
	second, err := one.Reserve(t.Context())
	if err != nil || stored.USD < 3.4 {
		t.Fatalf("%+v, %v", stored, err)
	}
	call, err := two.ReserveCall(t.Context(), 1, false)
	if err != nil || stored.USD < 4.4 {
		t.Fatalf("%+v, %v", stored, err)
	}
	second.Settle(.25, time.Second)
	call.Pay(.5)
	if _, err := one.Reserve(t.Context()); !errors.Is(err, ErrBudget) {
		t.Errorf("a part goes beyond its bound: %v", err)
	}
	if _, err := two.Reserve(t.Context()); !errors.Is(err, ErrBudget) { // its evaluations cost 2 each
		t.Errorf("a part goes beyond its bound: %v", err)
	}
	if err := whole.Close(); err != nil || math.Abs(stored.USD-3.95) > 1e-9 || stored.Unknown != 0 {
		t.Errorf("%+v, %v", stored, err)
	}
}

// TestPartsOfAKilledBudget checks that if a killed process leaves an evaluation of
// unknown cost, the evaluation is charged only once, as soon as the first part knows a
// cost.
func TestPartsOfAKilledBudget(t *testing.T) {
	whole := NewBudget(10, time.Time{}, time.Now)
	whole.Keep(Account{USD: 1, Unknown: 1}, func(Account) error { return nil })
	for _, part := range []*Budget{whole.Part(4, time.Time{}), whole.Part(4, time.Time{})} {
		ticket, err := part.Reserve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ticket.Settle(.5, time.Second)
	}
	if got := whole.Spent(); math.Abs(got-2.5) > 1e-9 {
		t.Errorf("%v were spent, want 1 + .5 for each of three", got)
	}
}
