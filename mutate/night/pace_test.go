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

// TestPaceWithoutFailures checks that evaluations that failed because of infrastructure
// do not count as measurements of the pace, and that a run with no other evaluations has
// no pace.
func TestPaceWithoutFailures(t *testing.T) {
	o := newNights(t, 12)
	ctx := t.Context()
	for _, c := range []struct {
		run   string
		fails int
		want  float64 // the number of measured evaluations
	}{{"1-toy", 2, 2}, {"2-toy", 4, 0}} {
		run := archive.Run{ID: c.run, Number: int(c.run[0] - '0'), State: archive.RunFailed, Agents: []string{"toy"}, Concurrency: 1}
		if err := o.Archive.PutRun(ctx, run); err != nil {
			t.Fatal(err)
		}
		for seq := range 4 {
			e := bench.Evaluation{
				Run: run.ID, Agent: "toy", Seq: int64(seq), Key: bench.Key(c.run + string(rune('a'+seq))), Outcome: agent.OK, Scored: true, Latency: time.Second,
			}
			if seq < c.fails {
				e.Outcome, e.Scored, e.Latency = agent.Infrastructure, false, time.Millisecond
			}
			if err := o.Archive.Record(ctx, e, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := o.Archive.Flush(ctx); err != nil {
			t.Fatal(err)
		}
		k, err := paceOf(ctx, o.Archive, run, "toy", 1)
		if err != nil || k.Weight != c.want || k.Weight > 0 && k.Alone != 1 {
			t.Errorf("%s: %+v, %v; want %v evaluations of a second", c.run, k, err, c.want)
		}
	}
}
