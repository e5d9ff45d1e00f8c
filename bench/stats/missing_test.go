package stats

import (
	"slices"
	"strings"
	"testing"
)

func TestCounted(t *testing.T) {
	pair := Pair{Task: "t", A: []float64{.5}, B: []float64{1}, AloneA: []float64{1, .25}, AloneB: []float64{.75}}
	got := counted([]Pair{pair})[0]
	if want := []float64{.5, 1, .25, 0}; !slices.Equal(got.A, want) {
		t.Errorf("the champion has %v", got.A)
	}
	if want := []float64{1, 0, 0, .75}; !slices.Equal(got.B, want) {
		t.Errorf("the variant has %v", got.B)
	}
	if want := []int{0, anyNight, anyNight, anyNight}; !slices.Equal(got.Nights, want) {
		t.Errorf("nights %v", got.Nights)
	}
	if counted([]Pair{{Task: "t", A: []float64{1}, B: []float64{1}}}) != nil {
		t.Error("data is counted that is not missing")
	}
	// Five evaluations that only the champion lacks are significant at .05, so they count
	// as passed.
	pair.AloneA, pair.AloneB = nil, []float64{1, 1, 1, 1, 1}
	if got := counted([]Pair{pair})[0]; !slices.Equal(got.A, []float64{.5, 1, 1, 1, 1, 1}) {
		t.Errorf("the champion has %v", got.A)
	}
}

// TestJudgeCountsMissingData checks that missing evaluations of the variant count against
// it, except those that both sides lack equally.
func TestJudgeCountsMissingData(t *testing.T) {
	gains := func(task, block int) int { return btoi((task+block)%4 == 0) }
	losing := func(champion, variant int) []Pair {
		pairs := blocksOf(20, 12, gains)
		for i := range pairs {
			pairs[i].AloneA = slices.Repeat([]float64{1}, variant)
			pairs[i].AloneB = slices.Repeat([]float64{1}, champion)
		}
		return pairs
	}
	for _, c := range []struct {
		name              string
		champion, variant int
		claim             Claim
	}{
		{"nothing", 0, 0, NewTasks},
		{"both a tenth", 1, 1, NewTasks},
		{"the variant a fifth", 0, 3, NoClaim},
		{"the champion a fifth", 3, 0, NewTasks},
	} {
		r := Judge("v", losing(c.champion, c.variant), Rule{Alpha: entryAlpha})
		if r.Claim != c.claim || r.MissingA != 20*c.champion || r.MissingB != 20*c.variant || r.MissingCounted && c.champion+c.variant == 0 {
			t.Errorf("%s: %q, %+v", c.name, r.Claim, r)
		}
		if r.MissingCounted != strings.Contains(r.Reason, "counting missing data (") {
			t.Errorf("%s: %s", c.name, r.Reason)
		}
		if plain := Judge("v", losing(0, 0), Rule{Alpha: entryAlpha}); r.NewLower > plain.NewLower {
			t.Errorf("%s: missing data lifts the bound from %g to %g", c.name, plain.NewLower, r.NewLower)
		}
	}
}
