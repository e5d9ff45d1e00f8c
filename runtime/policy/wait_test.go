package policy

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"evolve/runtime/agent"
)

// order records the order in which agents are served.
type order struct {
	mu   sync.Mutex
	who  []string
	most int // most at once
	now  int
}

func (o *order) run(who string, d time.Duration) runner {
	return func(ctx context.Context, _ int) (Spent, error) {
		o.mu.Lock()
		o.who = append(o.who, who)
		o.now++
		o.most = max(o.most, o.now)
		o.mu.Unlock()
		_, err := sleep(ctx, d, nil)
		o.mu.Lock()
		o.now--
		o.mu.Unlock()
		return Spent{}, err
	}
}

func (o *order) served() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.who)
}

func TestTurns(t *testing.T) {
	for name, s := range map[string]Settings{
		"for permits":   {Deadline: time.Hour, Concurrency: 1},
		"for a rate":    {Deadline: time.Hour, RateCalls: 1, RatePer: time.Second},
		"for both":      {Deadline: time.Hour, Concurrency: 1, RateCalls: 1, RatePer: time.Second},
		"for two of it": {Deadline: time.Hour, Concurrency: 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := engine(t, remote(s))
				var o order
				var all sync.WaitGroup
				ask := func(agent, id string) {
					all.Go(func() {
						c := call(id)
						c.Agent = agent
						if _, err := e.Do(t.Context(), c, o.run(agent+id, 10*time.Second)); err != nil {
							t.Error(err)
						}
					})
					time.Sleep(time.Millisecond) // no two permits are released at the same moment
				}
				for i := range 100 {
					ask("a", fmt.Sprintf("%03d", i))
				}
				before := len(o.served())
				ask("b", "")
				all.Wait()
				at := slices.Index(o.who, "b")
				if at-before > 2 {
					t.Errorf("b was served after %d others", at-before)
				}
				mine := slices.Delete(slices.Clone(o.who), at, at+1)
				if !slices.IsSorted(mine) || len(mine) != 100 {
					t.Errorf("an agent's calls changed their order: %v", mine)
				}
				if limit := s.Concurrency; limit > 0 && o.most != limit {
					t.Errorf("%d side by side", o.most)
				}
			})
		})
	}
}

func TestQueueWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := remote(Settings{Concurrency: 1, QueueWait: time.Second})
		o.Book.Environment, o.Book.Roles = Settings{Deadline: time.Hour}, map[string]Settings{"hasty": {Deadline: time.Second / 2}}
		e := engine(t, o)
		go func() { _ = do(t, e, takes(time.Minute)) }()
		synctest.Wait()
		began := time.Now()
		err := do(t, e, ok)
		var limit *RateLimitedError
		if !errors.As(err, &limit) || time.Since(began) != time.Second || err.Error() != "rate limited by tools.remote.concurrency" {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		strict := call("2")
		strict.Agent = "hasty"
		var timeout *TimeoutError
		if _, err := e.Do(t.Context(), strict, ok); !errors.As(err, &timeout) {
			t.Errorf("the deadline came first: %v", err)
		}
		time.Sleep(time.Minute)
		if err := do(t, e, ok); err != nil {
			t.Error(err)
		}
	})
}

// TestQueueOfDifferentCaps tests that a role with a lower concurrency waits until fewer
// calls run, and delays no other role.
func TestQueueOfDifferentCaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, Options{Book: Book{Environment: Settings{Deadline: time.Hour, Concurrency: 3}, Roles: map[string]Settings{"alone": {Concurrency: 1}}}})
		var o order
		ask := func(who string, d time.Duration) {
			c := call(who)
			c.Agent = who
			go func() { _, _ = e.Do(t.Context(), c, o.run(who, d)) }()
			synctest.Wait()
		}
		ask("first", 10*time.Second)
		ask("alone", time.Second)
		ask("second", 5*time.Second)
		time.Sleep(9 * time.Second)
		if want := []string{"first", "second"}; !slices.Equal(o.served(), want) {
			t.Errorf("served %v", o.served())
		}
		time.Sleep(3 * time.Second)
		if want := []string{"first", "second", "alone"}; !slices.Equal(o.served(), want) {
			t.Errorf("served %v", o.served())
		}
	})
}

// TestQueueUnderCancellation tests that permits are neither lost nor duplicated,
// whatever waiters do.
func TestQueueUnderCancellation(t *testing.T) {
	const limit = 3
	var q queue
	var all sync.WaitGroup
	var mu sync.Mutex
	now := 0
	for g := range 32 {
		all.Go(func() {
			dice := rand.New(rand.NewPCG(1, uint64(g)))
			for range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				if dice.IntN(2) == 0 {
					go cancel()
				}
				_, err := q.acquire(ctx, fmt.Sprint(g%5), limit, time.Duration(dice.IntN(3))*100*time.Microsecond, nil)
				if err == nil {
					mu.Lock()
					if now++; now > limit {
						t.Errorf("%d permits", now)
					}
					mu.Unlock()
					mu.Lock()
					now--
					mu.Unlock()
					q.release()
				}
				cancel()
			}
		})
	}
	all.Wait()
	if used, waiting := q.state(); used != 0 || waiting != 0 || q.ring.Len() != 0 || len(q.lines) != 0 {
		t.Errorf("left behind: %d used, %d waiting, %d in the ring, %d lines", used, waiting, q.ring.Len(), len(q.lines))
	}
}

// TestPermitOfOneWhoLeft tests that if a permit is granted just as its waiter gives up,
// it is passed on to the next waiter.
func TestPermitOfOneWhoLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := 0
		for range 200 {
			var q queue
			if _, err := q.acquire(t.Context(), "a", 1, 0, nil); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			got := make(chan error, 1)
			go func() {
				_, err := q.acquire(ctx, "b", 1, 0, nil)
				got <- err
			}()
			synctest.Wait()
			cancel()
			q.release()
			if <-got == nil {
				q.release()
			} else {
				left++
			}
			if used, waiting := q.state(); used != 0 || waiting != 0 {
				t.Fatalf("%d used, %d waiting", used, waiting)
			}
		}
		if left == 0 {
			t.Error("no call ever left")
		}
	})
}

// TestRate tests that no period of RatePer lets through more than RateCalls calls, plus one
// at the limiter's edge, and that no slot of the rate is wasted.
func TestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls, per = 5, time.Second
		e := engine(t, remote(Settings{Deadline: time.Hour, RateCalls: calls, RatePer: per}))
		var mu sync.Mutex
		var at []time.Time
		var all sync.WaitGroup
		dice := rand.New(rand.NewPCG(1, 2))
		for range 200 {
			time.Sleep(time.Duration(dice.IntN(150)) * time.Millisecond)
			all.Go(func() {
				_ = do(t, e, func(context.Context, int) (Spent, error) {
					mu.Lock()
					at = append(at, time.Now())
					mu.Unlock()
					return Spent{}, nil
				})
			})
		}
		all.Wait()
		for i := range at {
			if j := i + calls + 1; j < len(at) && at[j].Sub(at[i]) < per {
				t.Errorf("%d calls in %v", calls+2, at[j].Sub(at[i]))
			}
		}
		if took := at[len(at)-1].Sub(at[0]); took > 41*time.Second {
			t.Errorf("200 calls at 5 a second took %v", took)
		}
		if s := e.Stats()[0]; s.RateWait <= 0 {
			t.Errorf("no wait was counted: %+v", s)
		}
	})
}

// TestRatesOfRoles tests that a role has a separate rate: a stricter rate applies in
// addition to the target's rate, and a looser rate replaces it.
func TestRatesOfRoles(t *testing.T) {
	took := func(agent string, n int) (d, other time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			o := remote(Settings{})
			o.Book.Environment = Settings{Deadline: time.Hour, RateCalls: 1, RatePer: time.Second}
			o.Book.Roles = map[string]Settings{"slow": {RatePer: 4 * time.Second}, "fast": {RateCalls: 4}}
			e := engine(t, o)
			c := call("1")
			c.Agent = agent
			began := time.Now()
			for range n {
				if _, err := e.Do(t.Context(), c, ok); err != nil {
					t.Fatal(err)
				}
			}
			d = time.Since(began)
			c.Agent = "other"
			began = time.Now()
			_, _ = e.Do(t.Context(), c, ok)
			other = time.Since(began)
		})
		return d, other
	}
	for name, c := range map[string]struct {
		agent string
		want  time.Duration
		other time.Duration // how long the next call waits
	}{
		"no policy":   {want: 4 * time.Second, other: time.Second},
		"a slow role": {agent: "slow", want: 16 * time.Second, other: time.Second},
		"a fast role": {agent: "fast", want: time.Second},
	} {
		if got, other := took(c.agent, 5); got != c.want || other != c.other {
			t.Errorf("%s: %v, want %v; the next one waited for %v, want %v", name, got, c.want, other, c.other)
		}
	}
}

func TestOthersAreHeldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, Options{Book: Book{Providers: map[string]Settings{"big": {RateWait: 15 * time.Second}}}})
		first := make(chan Applied, 1)
		c := Call{Kind: Provider, Name: "big", Agent: "a", ID: "1", Repeatable: true}
		began := time.Now()
		go func() {
			applied, err := e.Do(t.Context(), c, func(_ context.Context, n int) (Spent, error) {
				if n == 1 {
					return Spent{}, limited(20 * time.Second)
				}
				if got := time.Since(began); got != 20*time.Second {
					t.Errorf("tried again after %v", got)
				}
				return Spent{}, nil
			})
			if err != nil {
				t.Error(err)
			}
			first <- applied
		}()
		synctest.Wait()
		other := Call{Kind: Provider, Name: "big", Agent: "b", ID: "2"}
		refused, err := e.Do(t.Context(), other, ok)
		var limit *RateLimitedError
		if !errors.As(err, &limit) || limit.RetryAfter != 20*time.Second || time.Since(began) != 0 {
			t.Errorf("a call that may wait for 15 s: %v after %v", err, time.Since(began))
		}
		if s := e.Stats()[0]; s.Held != 20*time.Second {
			t.Errorf("held for %v", s.Held)
		}
		small := other
		small.Name = "small"
		if _, err := e.Do(t.Context(), small, ok); err != nil || time.Since(began) != 0 {
			t.Errorf("another provider: %v", err)
		}
		time.Sleep(6 * time.Second)
		waited, err := e.Do(t.Context(), other, ok)
		if err != nil || time.Since(began) != 20*time.Second {
			t.Errorf("served after %v: %v", time.Since(began), err)
		}
		for name, c := range map[string]struct {
			got  Applied
			want []Limited
		}{
			"retried": {<-first, []Limited{{agent.RateLimited, "rate limited by the remote service, retry after 20s"}}},
			"refused": {refused, []Limited{{agent.RateLimited, "rate limited, retry after 20s"}}},
			"waited":  {waited, []Limited{{"", "waited for 14s: rate_calls"}}},
		} {
			if !slices.Equal(c.got.Limited, c.want) || c.got.Kind != Provider || c.got.Name != "big" {
				t.Errorf("%s: %+v", name, c.got)
			}
		}
	})
}

// TestLimitedNamesWhatHeldACallBack tests that a queue, a configured rate and an open
// breaker are noted, and that nothing is noted for a call that was not held back.
func TestLimitedNamesWhatHeldACallBack(t *testing.T) {
	for name, c := range map[string]struct {
		settings Settings
		before   runner
		want     []Limited
	}{
		"nothing": {Settings{}, ok, nil},
		"queue":   {Settings{Concurrency: 1}, takes(3 * time.Second), []Limited{{"", "queued for 3s: tools.remote.concurrency"}}},
		"full queue": {Settings{Concurrency: 1, QueueWait: time.Second}, takes(3 * time.Second), []Limited{
			{"", "queued for 1s: tools.remote.concurrency"}, {agent.RateLimited, "rate limited by tools.remote.concurrency"},
		}},
		"rate": {Settings{RateCalls: 1, RatePer: 2 * time.Second}, ok, []Limited{{"", "waited for 2s: tools.remote.rate"}}},
		"breaker": {
			Settings{BreakerCalls: 1, BreakerFailures: 1, BreakerOpen: time.Minute, BreakerProbes: 1},
			fails(failure(0)),
			[]Limited{{agent.CircuitOpen, "circuit open, retry after 1m0s"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := engine(t, remote(c.settings))
				go func() { _ = do(t, e, c.before) }()
				synctest.Wait()
				applied, _ := e.Do(t.Context(), call("2"), ok)
				if !slices.Equal(applied.Limited, c.want) {
					t.Errorf("%+v", applied.Limited)
				}
				time.Sleep(time.Minute)
			})
		})
	}
}

// TestWaitsAreMeasuredInTheQueue tests that a call that is served immediately has a waiting
// time of exactly zero, and that a wait lasts exactly as long as the call was held back. A
// clock around the waits would include the time during which a busy machine did not run the
// call.
func TestWaitsAreMeasuredInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		check := func(what string, got time.Duration, err error, want time.Duration) {
			t.Helper()
			if got != want || err != nil {
				t.Errorf("%s: %s, %v, want %s", what, got, err, want)
			}
		}
		var q queue
		got, err := q.acquire(ctx, "a", 1, 0, nil)
		check("a free permit", got, err, 0)
		time.AfterFunc(3*time.Second, q.release)
		got, err = q.acquire(ctx, "a", 1, 0, nil)
		check("a permit in use", got, err, 3*time.Second)

		p, limit := newPace(1, 2*time.Second), waitLimit{time.Now().Add(time.Minute), time.Minute}
		got, err = p.wait(ctx, "a", limit, nil)
		check("a free slot", got, err, 0)
		got, err = p.wait(ctx, "a", limit, nil)
		check("the next slot", got, err, 2*time.Second)

		var g gate
		got, err = g.wait(ctx, limit, nil)
		check("an open gate", got, err, 0)
		g.shut(4 * time.Second)
		got, err = g.wait(ctx, limit, nil)
		check("a shut gate", got, err, 4*time.Second)
	})
}

// TestServersAreBulkheads tests that the calls to all tools of one server share that
// server's concurrency, and that they do not delay calls to another server.
func TestServersAreBulkheads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, Options{Book: Book{
			Origins: map[string]Settings{"mcp": {RateCalls: 1000}, "mcp:slow": {Concurrency: 3}}, Tools: map[string]Settings{"slow__1": {Concurrency: 1}},
		}})
		ask := func(o *order, server string, n int, d time.Duration) error {
			c := Call{Kind: Tool, Name: fmt.Sprint(server, "__", n), Origin: "mcp:" + server, Agent: "clerk"}
			_, err := e.Do(t.Context(), c, o.run(c.Name, d))
			return err
		}
		var slow, fast order
		for i := range 9 {
			go func() { _ = ask(&slow, "slow", i%3+1, 4*time.Second) }()
			time.Sleep(10 * time.Millisecond)
		}
		synctest.Wait()
		if served := slow.served(); len(served) != 3 {
			t.Errorf("at once: %v", served)
		}
		began := time.Now()
		if err := ask(&fast, "fast", 1, 0); err != nil || time.Since(began) > 10*time.Millisecond {
			t.Errorf("the other server's call took %v: %v", time.Since(began), err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if served := slow.served(); slow.most != 3 || len(served) < 5 {
			t.Errorf("%d at once, served %v", slow.most, served)
		}
		for _, s := range e.Stats() {
			if s.InUse != 0 || s.Waiting != 0 {
				t.Errorf("left behind: %+v", s)
			}
		}
		if used, waiting := e.servers["mcp:slow"].state(); used != 0 || waiting != 0 {
			t.Errorf("left behind at the server: %d, %d", used, waiting)
		}
	})
}

// TestHoldIsBounded tests that a server's retry-after cannot hold back all callers forever.
func TestHoldIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, remote(Settings{}))
		err := do(t, e, fails(limited(1<<62)))
		var limit *RateLimitedError
		if errors.As(err, &limit) { // there was only one attempt, so the error is that of run itself
			t.Errorf("error %v", err)
		}
		if got := e.Stats()[0].Held; got != maxHold {
			t.Errorf("held for %v", got)
		}
		time.Sleep(maxHold)
		for _, d := range []time.Duration{20 * time.Second, 5 * time.Second} {
			go func() {
				_ = do(t, e, func(ctx context.Context, n int) (Spent, error) {
					_, _ = sleep(ctx, time.Second-d/100, nil) // the shorter hold ends later
					return Spent{}, limited(d)
				})
			}()
		}
		time.Sleep(time.Second)
		if got := e.Stats()[0].Held; got != 20*time.Second-200*time.Millisecond {
			t.Errorf("a shorter hold took the place of a longer one: %v", got)
		}
	})
}
