package stats

import (
	"math"
	"testing"
)

// TestClaimsAreRare is a short version of the table of `make bench-stats`. In worlds
// where the data alone would mislead, a gain is claimed for at most the stated share of
// the entries without a gain, within the limits of chance. The former rule claims more.
func TestClaimsAreRare(t *testing.T) {
	plain := claimWorld{tasks: 40, blocks: 16, nights: 4}
	few, clustered, lost := plain, plain, plain
	few.tasks, few.interaction = 3, .5
	clustered.clusters, clustered.interaction = 3, .5
	lost.lost, lost.nights = .2, 5
	for name, w := range map[string]claimWorld{"few tasks": few, "three clusters": clustered, "missing failures": lost} {
		const entries = 30
		got := rates(w.simulate(entries, 7, before, now))
		if limit := entryAlpha + 3*math.Sqrt(entryAlpha/entries); got[1] > limit {
			t.Errorf("%s: %.3f of entries are claimed", name, got[1])
		}
		if name == "missing failures" && got[0] < .1 {
			t.Errorf("%s: the rule as it was claims %.3f: the test cannot fail", name, got[0])
		}
	}
	better := plain
	better.gain, better.missing = .08, .05
	if got := rates(better.simulate(20, 7, now)); got[0] < .8 {
		t.Errorf("eight points are claimed in %.2f of entries", got[0])
	}
}
