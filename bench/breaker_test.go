package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"evolve/runtime/agent"
)

// pauses records how long a breaker slept each time.
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
			again, err := b.Infrastructure(t.Context(), try, why, 0, nil)
			why = "circuit open"
			if ended = err; err != nil || !again {
				break
			}
		}
	}
	if !errors.Is(ended, ErrOutage) {
		t.Fatalf("after %d failures: %v, want ErrOutage", calls, ended)
	}
	if !strings.HasSuffix(ended.Error(), "; the first cause: no connection") {
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
			if _, err := b.Infrastructure(t.Context(), 1, "", 0, nil); err != nil {
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

// TestBreakerOfPrograms checks that all programs written by a search may fail, but that the
// champion may not.
func TestBreakerOfPrograms(t *testing.T) {
	b := NewBreaker(Patience{Broken: 5, Collapse: 20, ChampionAlone: true}, "champion", nil)
	for i := range 1000 {
		if err := b.Finished(agent.ConfigID(fmt.Sprint(i/10)), agent.Execution); err != nil {
			t.Fatalf("after %d failures of programs: %v", i, err)
		}
	}
	for i := range 5 {
		err := b.Finished("champion", agent.Execution)
		if errors.Is(err, ErrOutage) != (i == 4) {
			t.Errorf("after %d failures of the champion: %v", i+1, err)
		}
		if err := b.Finished("other", agent.OK); err != nil {
			t.Errorf("a success of a program: %v", err)
		}
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

// TestAStreakOfSomeConfigsIsNoOutage checks that variants that fail on some tasks get
// missing data there as long as the champion answers, and that an outage of everything ends
// the run.
func TestAStreakOfSomeConfigsIsNoOutage(t *testing.T) {
	down, probes := false, 0
	b := newBed(t, Settings{}, scripted(func(_ context.Context, req agent.Request) agent.Result {
		champion := req.Config["x"] == int64(0)
		if champion {
			probes++
		}
		if down || !champion && req.Task.Goal == "hard" {
			return agent.Result{Outcome: agent.Infrastructure, Error: "upstream down"}
		}
		return answer("yes")
	}), exactly)
	var slept pauses
	b.harness.breaker = NewBreaker(Patience{}, "champion", slept.sleep)
	evaluate := func(variant agent.ConfigID, x int64, of *Task) (Evaluation, error) {
		j := job(of)
		j.Variant, j.Config = variant, agent.Config{"x": x}
		return b.harness.Evaluate(t.Context(), j)
	}
	easy := task("easy", "yes")
	if e, err := evaluate("champion", 0, easy); err != nil || !e.Scored {
		t.Fatalf("%+v, %v", e, err)
	}
	recorded := len(b.shelf.list)
	for i := range 60 {
		hard := task(fmt.Sprintf("hard%d", i), "yes")
		hard.Goal = "hard"
		for x, v := range []agent.ConfigID{"v1", "v2", "v3"} {
			if e, err := evaluate(v, int64(x+1), hard); err != nil || e.Scored || e.Outcome != agent.Infrastructure {
				t.Fatalf("task %d: %+v, %v; want missing data", i, e, err)
			}
		}
	}
	for _, d := range slept {
		if d >= 4*time.Second {
			t.Fatalf("paused for %s", d)
		}
	}
	if n, why := b.harness.breaker.Strayed(); n == 0 || why != "upstream down" || probes-1 != n {
		t.Errorf("%d streaks because of %q, with %d probes", n, why, probes-1)
	}
	if got := len(b.shelf.list) - recorded; got != 180 {
		t.Errorf("%d evaluations are recorded, want the 180 and no probe", got)
	}
	down = true
	for i := range 60 {
		if _, err := evaluate("v1", 1, task(fmt.Sprintf("later%d", i), "yes")); err != nil {
			if !errors.Is(err, ErrOutage) || !strings.Contains(err.Error(), "after 5 pauses") {
				t.Errorf("ended with %v", err)
			}
			return
		}
	}
	t.Error("a real outage did not end it")
}
