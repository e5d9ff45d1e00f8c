package night

import (
	"testing"

	"evolve/mutate"
	"evolve/mutate/ablation"
)

// TestSmaller checks that subtracting the loss of a reduction from a finalist's estimate
// does not put a bound of the estimate's interval below 0.
func TestSmaller(t *testing.T) {
	t.Parallel()
	e := smaller(mutate.Estimate{Score: .1, Lo: .02, Hi: .3, Gain: .05}, ablation.Result{Loss: ablation.Posterior{Mean: .08}})
	if e.Lo != 0 || e.Score < .0199 || e.Hi < .2199 || e.Hi > .2201 {
		t.Errorf("%+v", e)
	}
}

// TestShare checks that the first of several finalists of searched code leaves half of the
// evaluations to those that follow, and that the last finalist gets all of them.
func TestShare(t *testing.T) {
	t.Parallel()
	code := Agent{Deterministic: true, Hunks: true}
	for _, tt := range []struct {
		agent     Agent
		finalists int
		want      int
	}{{code, 3, 50}, {code, 2, 50}, {code, 1, 100}, {Agent{Deterministic: true}, 2, 100}} {
		m := &minimisation{night: &night{Spec: Spec{Agent: tt.agent}}, left: 100}
		if got := m.share(make([]mutate.Estimate, tt.finalists)); got != tt.want {
			t.Errorf("the first of %d finalists gets %d evaluations, want %d", tt.finalists, got, tt.want)
		}
	}
}
