package night

import (
	"testing"

	"evolve/mutate"
	"evolve/mutate/ablation"
)

// TestSmaller checks that a finalist that loses more than its interval spans has no score
// below 0.
func TestSmaller(t *testing.T) {
	t.Parallel()
	e := smaller(mutate.Estimate{Score: .1, Lo: .02, Hi: .3, Gain: .05}, ablation.Result{Loss: ablation.Posterior{Mean: .08}})
	if e.Lo != 0 || e.Score < .0199 || e.Hi < .2199 || e.Hi > .2201 {
		t.Errorf("%+v", e)
	}
}
