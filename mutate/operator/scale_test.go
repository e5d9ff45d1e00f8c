package operator

import (
	"testing"

	"evolve/runtime/agent"
)

// TestNarrowRangesHavePlaces checks that rounding does not reduce a narrow range to one
// value.
func TestNarrowRangesHavePlaces(t *testing.T) {
	for _, p := range []agent.Param{
		{Kind: agent.Float, Min: 3, Max: 3.01, Log: true},
		{Kind: agent.Float, Min: 3, Max: 3.0000000001, Log: true},
		{Kind: agent.Float, Min: 3, Max: 3.01},
		{Kind: agent.Float, Min: 1e-6, Max: 1, Log: true},
	} {
		seen := map[any]bool{}
		for i := range 21 {
			seen[FromUnit(p, float64(i)/20)] = true
		}
		if len(seen) != 21 || !seen[p.Min] || !seen[p.Max] {
			t.Errorf("%g to %g has %d values at 21 places, its ends among them: %v, %v", p.Min, p.Max, len(seen), seen[p.Min], seen[p.Max])
		}
	}
}
