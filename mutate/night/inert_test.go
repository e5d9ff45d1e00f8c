package night

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"evolve/bench"
	"evolve/runtime/agent"
)

// TestInertParametersAreNotSearched tests that a parameter that the model was found not to
// accept keeps the champion's value in the search of the same night.
func TestInertParametersAreNotSearched(t *testing.T) {
	t.Parallel()
	o := newNights(t, 60)
	o.Evaluations, o.Agent.Deterministic, o.Agent.UsesSeed = 240, false, true // its champion runs twice
	reached := func(run string) map[float64]bool {
		out := map[float64]bool{}
		for e, err := range o.Archive.Evaluations(t.Context(), run, "toy") {
			if err != nil {
				t.Fatal(err)
			}
			v, err := o.Archive.Variant(t.Context(), "toy", e.Variant)
			if err != nil {
				t.Fatal(err)
			}
			if e.Stage == bench.StageSearch {
				out[v.Config.Float("reach", -1)] = true
			}
		}
		return out
	}
	if got := reached(o.run(t).Run.ID); len(got) < 3 {
		t.Fatalf("the first night tries %v", got)
	}
	takes := o.Answer
	data, err := json.Marshal([]string{"reach", "another"})
	if err != nil {
		t.Fatal(err)
	}
	o.Answer = inProcess(func(ctx context.Context, req agent.Request) agent.Result {
		req.Config = req.Config.Clone()
		req.Config["reach"] = .2
		res := takes.Run(ctx, req)
		res.Transcript.Events = append(res.Transcript.Events, agent.Event{Kind: agent.EventInert, Name: "m", Data: data})
		return res
	})
	o.Agent.Hash = "other" // nothing is found in the cache
	night := o.run(t)
	got := reached(night.Run.ID)
	if len(got) != 1 || !got[.2] {
		t.Errorf("the second night tries %v", got)
	}
	if warnings := strings.Join(night.Plan.Warnings, "\n"); !strings.Contains(warnings, "not searched: reach (not accepted by the model)") {
		t.Errorf("warnings: %s", warnings)
	}
}
