package night

import (
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/runtime/agent"
)

// TestPaceWithJudges checks that the pace of a run that ended before it recorded a pace
// includes the time and cost of its judges.
func TestPaceWithJudges(t *testing.T) {
	o := newNights(t, 12)
	ctx := t.Context()
	run := archive.Run{ID: "1-toy", Number: 1, State: archive.RunInterrupted, Agents: []string{"toy"}, Concurrency: 2}
	if err := o.Archive.PutRun(ctx, run); err != nil {
		t.Fatal(err)
	}
	for seq := range int64(4) {
		err := o.Archive.Record(ctx, bench.Evaluation{
			Run: run.ID, Agent: "toy", Seq: seq, Key: bench.Key(rune('a' + seq)), Outcome: agent.OK, Scored: true,
			Latency: time.Second, Usage: agent.Usage{CostUSD: .01},
			Judging: 3 * time.Second, Judge: agent.Usage{CostUSD: .02, Iterations: 2},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := o.Archive.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	k, err := paceOf(ctx, o.Archive, run, "toy", 1)
	if err != nil || k.Weight != 4 || k.Alone != 4 || k.USD != .03 {
		t.Errorf("%+v, %v; want 4 evaluations of 4 seconds and 0.03 USD", k, err)
	}
}
