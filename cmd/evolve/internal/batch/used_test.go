package batch

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"evolve/archive"
	"evolve/runtime/agent"
)

// TestEachEvaluationIsCountedOnce repeatedly kills and resumes a night of an agent with
// randomness. The night must use as many evaluations as the archive has from that night.
// Each evaluation of an earlier process counts, and an evaluation that a later process
// finds again counts only once.
func TestEachEvaluationIsCountedOnce(t *testing.T) {
	const budget = 600
	seed := int64(3)
	answer := func(_ context.Context, req agent.Request) agent.Result {
		text := "no"
		if rand.New(rand.NewPCG(uint64(req.Seed), 1)).Float64() < toySkill(req.Config) {
			text = "yes"
		}
		return agent.Result{Answer: &text, Outcome: agent.OK}
	}
	for _, after := range []int64{150, 290} {
		a := archive.OpenMemory()
		crash := errors.New("power cut")
		// process works until it has made the given number of evaluations itself.
		process := func(most int64) Summary {
			ctx, cut := context.WithCancelCause(t.Context())
			defer cut(nil)
			var made atomic.Int64
			w := toyWorkspace(t, 40)
			w.Agents[0].UsesSeed = true
			o := toyOptions(w, a, inProcess(func(ctx context.Context, req agent.Request) agent.Result {
				if made.Add(1) > most {
					cut(crash)
					return agent.Result{Outcome: agent.Cancelled}
				}
				return answer(ctx, req)
			}), budget)
			o.Seed, o.Concurrency, o.Drain = &seed, 2, ctx
			s, err := Run(ctx, o)
			if err != nil {
				t.Fatalf("after %d: %v", after, err)
			}
			if ctx.Err() != nil { // a killed process leaves its run open
				s.Run.State = archive.RunRunning
				if err := a.PutRun(t.Context(), s.Run); err != nil {
					t.Fatal(err)
				}
			}
			return s
		}
		var s Summary
		for s = process(after); s.Run.State == archive.RunRunning; {
			s = process(after)
		}
		recorded, l := timed{}.counted(t, tells{Summary: s, store: a}), s.Run.Limits[0]
		if s.Run.Resumed == 0 || s.Results[0].Blocks == 0 {
			t.Errorf("after %d: resumed %d times, %d blocks: the test shows nothing", after, s.Run.Resumed, s.Results[0].Blocks)
		}
		if l.Used != recorded {
			t.Errorf("after %d: %d evaluations used, and the archive has %d", after, l.Used, recorded)
		}
	}
}
