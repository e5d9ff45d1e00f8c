//go:build unix

package e2e

import (
	"math/rand/v2"
	"testing"

	"evolve/archive"
	"evolve/bench"
)

// TestKillsOfASeededAgent kills runs of an agent whose answers are not repeatable. Such
// runs cannot be replayed in order: the search gets the recorded evaluations and then makes
// as many more as its budget allows.
func TestKillsOfASeededAgent(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 77))
	for range max(1, points(t)/8) {
		p := writtenAndCounted(t, script{sandbox: "none", timeout: "1h", first: ":", seeded: true})
		var marks []mark
		for range 3 {
			if m, hit := p.strike(random, 500); hit {
				marks = append(marks, m, p.mark(p.mustLook()))
			}
		}
		if p.mustLook().run.State != archive.RunDone {
			p.do(0, p.night()...)
		}
		after := p.mustLook()
		plan := map[bench.Stage]int{}
		keys := map[bench.Key]string{}
		for id, e := range after.evaluations {
			plan[e.Stage]++
			if other, twice := keys[e.Key]; twice {
				t.Errorf("%s and %s are the same evaluation", id, other)
			}
			keys[e.Key] = id
		}
		// Of 500 evaluations, 156 are for the search, 24 for the champion's rerun, and
		// the rest for blocks of 80, as many as needed.
		if after.run.Number != 1 || plan[bench.StageSearch]+plan[bench.StageBaseline] != 156 || plan[bench.StageAA] != 24 ||
			plan[bench.StageConfirm] > 320 || plan[bench.StageConfirm]%80 != 0 {
			t.Errorf("run %d has %d of 500 evaluations: %v", after.run.Number, len(after.evaluations), plan)
		}
		for _, m := range marks {
			if gone := lost(m.view, after); len(gone) > 0 {
				t.Errorf("kills lost %v", gone)
			}
		}
		again := len(p.calls()) - len(after.evaluations)
		p.paid(marks)
		t.Logf("%d kills; stages %v; %d evaluations were under way or not yet on disk", len(marks)/2, plan, again)
		p.nothingLeft()
	}
}
