package bench

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"evolve/runtime/agent"
)

// pauses records how long a breaker slept.
type pauses []time.Duration

func (p *pauses) sleep(ctx context.Context, d time.Duration) error {
	*p = append(*p, d)
	return context.Cause(ctx)
}

func TestBreakerEndsAnOutage(t *testing.T) {
	var slept pauses
	b := NewBreaker(Patience{Attempts: 3, Streak: 4, Pause: time.Second, Pauses: 2}, "champion", slept.sleep)
	var ended error
	calls, why := 0, "no\nconnection"
	for ended == nil && calls < 50 {
		for try := 1; ; try++ {
			calls++
			again, err := b.Infrastructure(t.Context(), try, why)
			why = "circuit open"
			if ended = err; err != nil || !again {
				break
			}
		}
	}
	if !errors.Is(ended, ErrOutage) {
		t.Fatalf("after %d failures: %v, want ErrOutage", calls, ended)
	}
	if !strings.HasSuffix(ended.Error(), "; the first of them: no connection") {
		t.Errorf("the reason is lost: %v", ended)
	}
	long := 0
	for _, d := range slept {
		if d >= time.Second {
			long++
		}
	}
	if long != 2 {
		t.Errorf("paused %d times, want 2: %v", long, slept)
	}
}

func TestBreakerForgetsAfterSuccess(t *testing.T) {
	var slept pauses
	b := NewBreaker(Patience{Attempts: 2, Streak: 3, Pauses: 1}, "champion", slept.sleep)
	for range 100 {
		for range 2 {
			if _, err := b.Infrastructure(t.Context(), 1, ""); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Finished("a", agent.OK); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBreakerOneBadVariantNeverEndsARun(t *testing.T) {
	b := NewBreaker(Patience{Broken: 5, Collapse: 8}, "champion", new(pauses).sleep)
	if err := b.Finished("champion", agent.OK); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if err := b.Finished("bad", agent.Execution); err != nil {
			t.Fatalf("one bad variant ended the run: %v", err)
		}
	}
	for _, v := range []agent.ConfigID{"worse", "bad"} {
		if err := b.Finished(v, agent.Timeout); err != nil {
			t.Fatalf("two bad variants ended the run: %v", err)
		}
	}
	if err := b.Finished("third", agent.ContractViolation); !errors.Is(err, ErrOutage) {
		t.Errorf("three configs and a thousand failures in a row: %v, want ErrOutage", err)
	}
}

func TestBreakerAnAgentThatNeverWorked(t *testing.T) {
	b := NewBreaker(Patience{Broken: 5}, "champion", new(pauses).sleep)
	for i := range 4 {
		if err := b.Finished("champion", agent.Execution); err != nil {
			t.Fatalf("failure %d: %v", i+1, err)
		}
	}
	if err := b.Finished("champion", agent.Execution); !errors.Is(err, ErrOutage) {
		t.Errorf("the champion failed five times from the start: %v, want ErrOutage", err)
	}
}
