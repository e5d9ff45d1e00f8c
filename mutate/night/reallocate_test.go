package night

import (
	"fmt"
	"testing"

	"evolve/bench/confirm"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// TestASmallChangeIsWorthBlocks checks that, if an agent's results are random, a large
// gain frees blocks for the ablation, which removes changes without effect.
func TestASmallChangeIsWorthBlocks(t *testing.T) {
	whole(t)
	kept, lent := 0, 0
	for seed := range int64(8) {
		o := idleNights(t)
		o.Agent.Deterministic, o.Agent.UsesSeed = false, true
		o.Evaluations, o.Seed, o.Concurrency = 1500, &seed, 1 // in a fixed order, regardless of the machine
		s := o.run(t)
		p, r := s.Plan, s.Result
		lent += p.Lent
		if p.Lent > 0 && (p.Repeats < confirm.LeastBlocks || p.Confirm != 2*p.HoldoutTasks*p.Repeats || p.Search+p.AA+p.Ablate+p.Confirm > 1500) {
			t.Errorf("seed %d: the plan is %+v", seed, p)
		}
		if r.Winner == "" {
			continue
		}
		v, err := o.Archive.Variant(t.Context(), "toy", r.Winner)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 6 {
			if v.Config.Bool(fmt.Sprintf("idle%d", i), false) {
				kept++
			}
		}
		t.Logf("seed %d: %s, lent %d, ablation %d of %d", seed, r.Verdict, p.Lent, ablated(r), p.Ablate)
	}
	// Of the 240 changes without effect in 40 nights, 2 stayed.
	if lent == 0 || kept > 2 {
		t.Errorf("%d evaluations lent, %d idle changes kept", lent, kept)
	}
}

// TestNothingIsLentForASmallGain checks that no blocks are lent if the gain is so small
// that the confirmation needs all of them.
func TestNothingIsLentForASmallGain(t *testing.T) {
	o := idleNights(t)
	o.Agent.Deterministic, o.Agent.UsesSeed, o.Evaluations = false, true, 2000
	for _, c := range []struct {
		gain, sd float64
		lends    bool
	}{{.5, .05, true}, {.05, .02, false}, {.3, .29, false}, {-.1, .05, false}} {
		n := &night{Spec: o.plan(t), sample: o.Agent.Sample()}
		was := n.Plan.Confirm
		config := o.Agent.Champion.Clone()
		for i := range 6 {
			config[fmt.Sprintf("idle%d", i)] = true
		}
		rec := &mutate.Recommendation{Champion: mutate.Estimate{Score: .4}, Finalists: []mutate.Estimate{{Variant: agent.ConfigID("v"), Config: config, Gain: c.gain, SD: c.sd}}}
		if err := n.reallocate(t.Context(), rec); err != nil {
			t.Fatal(err)
		}
		if lends := n.Plan.Lent > 0; lends != c.lends || n.Plan.Lent != was-n.Plan.Confirm {
			t.Errorf("a gain of %g ± %g: %d lent of %d", c.gain, c.sd, n.Plan.Lent, was)
		}
	}
}
