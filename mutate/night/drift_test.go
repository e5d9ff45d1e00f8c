package night

import (
	"context"
	"slices"
	"strings"
	"testing"

	"evolve/runtime/agent"
)

// TestADriftEndsTheHistory: a search learns nothing from nights in which the champion scored
// otherwise, since the other configs did so as well.
func TestADriftEndsTheHistory(t *testing.T) {
	for name, drifts := range map[string]bool{"the provider is the same": false, "the provider changed": true} {
		t.Run(name, func(t *testing.T) {
			o := newNights(t, 60)
			o.Evaluations = 400
			o.Agent.Deterministic, o.Agent.UsesSeed = false, true
			before := o.Answer
			o.run(t)
			if drifts {
				o.Answer = func(ctx context.Context, req agent.Request) agent.Result {
					res := before(ctx, req)
					other := map[string]string{"yes": "no", "no": "yes"}[*res.Answer]
					res.Answer = &other
					return res
				}
			}
			warned := slices.ContainsFunc(o.run(t).Plan.Warnings, func(w string) bool { return strings.Contains(w, "scored otherwise on earlier nights") })
			if warned != drifts {
				t.Errorf("history left out: %t", warned)
			}
		})
	}
}
