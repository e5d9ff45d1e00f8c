package policy

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// guard returns an engine whose only policy is a breaker.
func guard(t *testing.T, change func(*Settings)) *Engine {
	s := Settings{Deadline: time.Hour, BreakerCalls: 4, BreakerFailures: .5, BreakerOpen: time.Minute, BreakerProbes: 2}
	if change != nil {
		change(&s)
	}
	return engine(t, remote(s))
}

func do(t *testing.T, e *Engine, run runner) error {
	_, err := e.Do(t.Context(), call("1"), run)
	return err
}

func isOpen(err error) bool {
	var open *CircuitOpenError
	return errors.As(err, &open)
}

func TestBreakerOpens(t *testing.T) {
	slow := func(s *Settings) {
		s.BreakerFailures, s.BreakerSlow, s.BreakerSlowShare = 0, time.Second, .5
	}
	for name, c := range map[string]struct {
		change func(*Settings)
		calls  []runner
		open   bool
	}{
		"half of the window":                   {calls: []runner{ok, fails(failure(0)), ok, fails(failure(0))}, open: true},
		"less than half":                       {calls: []runner{ok, fails(failure(0)), ok, ok, ok, fails(failure(0))}},
		"other errors":                         {calls: []runner{fails(errDown), fails(errDown), fails(errDown), fails(errDown)}},
		"rate limits":                          {calls: []runner{fails(limited(0)), fails(limited(0)), fails(limited(0)), fails(limited(0))}},
		"panics":                               {calls: []runner{func(context.Context, int) (Spent, error) { panic(1) }, fails(failure(0))}, open: true},
		"slow calls":                           {change: slow, calls: []runner{takes(2 * time.Second), ok, takes(2 * time.Second)}, open: true},
		"calls just quick enough":              {change: slow, calls: []runner{takes(time.Second), takes(time.Second), takes(time.Second), takes(time.Second)}},
		"failures, where only slowness counts": {change: slow, calls: []runner{fails(failure(0)), fails(failure(0)), fails(failure(0))}},
		"deadlines":                            {change: func(s *Settings) { s.Deadline = time.Second }, calls: []runner{takes(time.Minute), deaf(time.Minute)}, open: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := guard(t, c.change)
				for i, run := range c.calls {
					if err := do(t, e, run); isOpen(err) {
						t.Fatalf("call %d: %v", i+1, err)
					}
				}
				if got := isOpen(do(t, e, ok)); got != c.open {
					t.Errorf("open: %v", got)
				}
				_ = e.Wait(t.Context())
			})
		})
	}
}

// trip opens the breaker and waits until it is half-open.
func trip(t *testing.T, e *Engine) {
	t.Helper()
	for range 2 {
		_ = do(t, e, fails(failure(0)))
	}
	if !isOpen(do(t, e, ok)) || e.Stats()[0].Breaker != "open" {
		t.Fatal("the breaker is not open")
	}
	time.Sleep(time.Minute - time.Nanosecond)
	if !isOpen(do(t, e, ok)) {
		t.Fatal("the breaker let a call through too early")
	}
	time.Sleep(time.Nanosecond)
	if got := e.Stats()[0].Breaker; got != "half_open" {
		t.Fatalf("the breaker is %s", got)
	}
}

func TestHalfOpen(t *testing.T) {
	t.Run("closes after its probes", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e := guard(t, nil)
			trip(t, e)
			for range 2 {
				if err := do(t, e, ok); err != nil {
					t.Fatal(err)
				}
			}
			if got := e.Stats()[0].Breaker; got != "closed" {
				t.Errorf("the breaker is %s", got)
			}
			_ = do(t, e, fails(failure(0)))
			if isOpen(do(t, e, ok)) {
				t.Error("it remembers failures from before")
			}
		})
	})
	t.Run("opens again at a failure", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e := guard(t, nil)
			trip(t, e)
			_ = do(t, e, ok)
			_ = do(t, e, fails(failure(0)))
			if err := do(t, e, ok); !isOpen(err) || err.Error() != "circuit open, retry after 1m0s" {
				t.Errorf("error %v", err)
			}
		})
	})
	t.Run("lets no more through than its probes", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e := guard(t, nil)
			trip(t, e)
			var let atomic.Int32
			for range 10 {
				go func() {
					_ = do(t, e, func(ctx context.Context, n int) (Spent, error) {
						let.Add(1)
						return takes(time.Second)(ctx, n)
					})
				}()
				synctest.Wait()
			}
			if let.Load() != 2 {
				t.Errorf("%d calls", let.Load())
			}
			time.Sleep(2 * time.Second)
		})
	})
	t.Run("gets cancelled and limited probes back", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e := guard(t, nil)
			trip(t, e)
			for range 5 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				if _, err := e.Do(ctx, call("1"), takes(time.Minute)); !errors.Is(err, context.DeadlineExceeded) {
					t.Fatal(err)
				}
				cancel()
				if err := do(t, e, fails(limited(0))); isOpen(err) {
					t.Fatal(err)
				}
			}
			_, _ = do(t, e, ok), do(t, e, ok)
			if got := e.Stats()[0].Breaker; got != "closed" {
				t.Errorf("the breaker is %s", got)
			}
		})
	})
	t.Run("does not count answers to older calls", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e := guard(t, nil)
			for range 4 {
				go func() {
					_ = do(t, e, func(ctx context.Context, n int) (Spent, error) {
						_, _ = sleep(ctx, 90*time.Second, nil)
						return Spent{}, failure(0)
					})
				}()
			}
			synctest.Wait()
			trip(t, e) // the breaker is half-open after a minute
			_ = do(t, e, ok)
			time.Sleep(time.Minute) // the older calls fail
			if err := do(t, e, ok); err != nil || e.Stats()[0].Breaker != "closed" {
				t.Errorf("the breaker is %s: %v", e.Stats()[0].Breaker, err)
			}
		})
	})
	t.Run("a slow probe fails", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e := guard(t, func(s *Settings) { s.BreakerSlow, s.BreakerSlowShare = time.Second, 1 })
			trip(t, e)
			_ = do(t, e, takes(2*time.Second))
			if !isOpen(do(t, e, ok)) {
				t.Error("the breaker is not open")
			}
		})
	})
}

func TestOpensWhileOthersWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := guard(t, func(s *Settings) { s.Concurrency = 1 })
		var ran, refused atomic.Int32
		for range 10 {
			go func() {
				err := do(t, e, func(ctx context.Context, _ int) (Spent, error) {
					ran.Add(1)
					_, _ = sleep(ctx, time.Second, nil)
					return Spent{}, failure(0)
				})
				if isOpen(err) {
					refused.Add(1)
				}
			}()
		}
		time.Sleep(time.Minute / 2)
		if ran.Load() != 2 || refused.Load() != 8 {
			t.Errorf("%d ran, %d were refused", ran.Load(), refused.Load())
		}
	})
}

func TestRetryEndsWhereTheCircuitOpens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := guard(t, func(s *Settings) { s.Attempts, s.Backoff, s.MaxBackoff = 5, time.Second, time.Hour })
		began := time.Now()
		applied, err := e.Do(t.Context(), call("1"), fails(failure(0)))
		if took := time.Since(began); took >= 3*time.Second { // two pauses; the second ends with a refusal
			t.Errorf("it went on for %v", took)
		}
		if !isOpen(err) || !errors.Is(err, errDown) || applied.Attempts != 2 {
			t.Errorf("%d attempts: %v", applied.Attempts, err)
		}
	})
}

func TestSlowWindowIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := guard(t, func(s *Settings) { s.BreakerFailures, s.BreakerSlow, s.BreakerSlowShare = 0, time.Second, .5 })
		for range 2 {
			_ = do(t, e, takes(2*time.Second))
		}
		if !isOpen(do(t, e, ok)) {
			t.Fatal("the breaker is not open")
		}
		time.Sleep(time.Minute)
		_, _ = do(t, e, ok), do(t, e, ok)
		_ = do(t, e, takes(2*time.Second))
		if err := do(t, e, ok); err != nil {
			t.Errorf("it remembers slow calls from before: %v", err)
		}

		e = guard(t, func(s *Settings) { s.BreakerSlow, s.BreakerSlowShare = time.Second, .5 })
		_ = do(t, e, takes(2*time.Second))
		trip(t, e) // for another reason
		_, _ = do(t, e, ok), do(t, e, ok)
		_ = do(t, e, takes(2*time.Second))
		if err := do(t, e, ok); err != nil {
			t.Errorf("it remembers a slow call from before: %v", err)
		}
	})
}
