package nights

import (
	"slices"
	"testing"
)

// TestHighest checks that the best two are kept, that among equals the earlier one is kept,
// and that nothing is kept if none is asked for.
func TestHighest(t *testing.T) {
	fill := func(most int) []string {
		kept := highest[string]{most: most}
		for i, value := range []float64{1, 3, 2, 3, 0} {
			if kept.takes(value) {
				kept.add(string(rune('a'+i)), value)
			}
		}
		return kept.items
	}
	if got := fill(2); !slices.Equal(got, []string{"b", "d"}) {
		t.Errorf("the best two are %v", got)
	}
	if got := fill(3); !slices.Equal(got, []string{"b", "d", "c"}) {
		t.Errorf("the best three are %v", got)
	}
	if got := fill(0); len(got) != 0 {
		t.Errorf("of none asked for there are %v", got)
	}
}
