package bench

import (
	"context"
	"testing"
	"time"

	"evolve/runtime/agent"
)

// TestAPauseIsMissingData checks that after a pause of this process, evaluations that were
// in progress are repeated: after a short pause only those that timed out, after a long
// pause all of them.
func TestAPauseIsMissingData(t *testing.T) {
	for name, c := range map[string]struct {
		pause   time.Duration
		outcome agent.Outcome
		calls   int
	}{
		"long, answered":   {5 * time.Second, agent.OK, 2},
		"long, late":       {5 * time.Second, agent.Timeout, 2},
		"short, answered":  {time.Second, agent.OK, 1},
		"short, late":      {time.Second, agent.Timeout, 2},
		"none, late":       {0, agent.Timeout, 1},
		"busy, not paused": {400 * time.Millisecond, agent.Timeout, 1},
	} {
		now := time.Unix(1000, 0)
		heart := NewStallDetector(func() time.Time { return now })
		calls := 0
		b := newBed(t, Settings{Lost: heart.Lost}, scripted(func(context.Context, agent.Request) agent.Result {
			if calls++; calls > 1 {
				return answer("yes")
			}
			now = now.Add(c.pause)
			r := answer("yes")
			r.Outcome = c.outcome
			return r
		}), exactly)
		b.harness.now = func() time.Time { return now }
		e, err := b.harness.Evaluate(t.Context(), job(task("t", "yes")))
		if err != nil || calls != c.calls || e.Attempts != 1 || !e.Scored {
			t.Errorf("%s: %d calls, %+v, %v", name, calls, e, err)
		}
		if c.calls == 2 && (e.Score != 1 || e.Outcome != agent.OK) {
			t.Errorf("%s: the pause left %s, score %v", name, e.Outcome, e.Score)
		}
	}
}
