package policy

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestWithDeadline checks that a deadline in the context replaces the built-in deadline,
// but not a deadline that the operator has set.
func TestWithDeadline(t *testing.T) {
	for _, c := range []struct {
		name     string
		operator time.Duration
		want     time.Duration
	}{
		{"built in", 0, 7 * time.Minute},
		{"operator's", time.Minute, time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, err := New(Options{Book: Book{Providers: map[string]Settings{"p": {Deadline: c.operator}}}})
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				_, err = e.Do(WithDeadline(t.Context(), 7*time.Minute), Call{Kind: Provider, Name: "p"}, func(ctx context.Context, _ int) (Spent, error) {
					<-ctx.Done()
					return Spent{}, ctx.Err()
				})
				var late *TimeoutError
				if took := time.Since(began); took != c.want || !errors.As(err, &late) || late.Deadline != c.want {
					t.Errorf("%v after %s, want %s", err, took, c.want)
				}
			})
		})
	}
}
