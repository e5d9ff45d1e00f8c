package selection

import (
	"testing"
)

func TestMetaproductivityByHand(t *testing.T) {
	successes, failures := metaproductivity(family())
	// Candidate 4 gives 2.5 successes and 2.5 failures to each of its parents.
	for i, want := range [][2]float64{{20 + 11 + 4 + 7 + 5, 20 + 9 + 6 + 3 + 5}, {11 + 7 + 2.5, 9 + 3 + 2.5}, {4 + 2.5, 6 + 2.5}, {7, 3}, {5, 5}} {
		near(t, "successes", successes[i], want[0])
		near(t, "failures", failures[i], want[1])
	}
}

// TestHGMFollowsTheBudget checks that randomness decreases as the budget is spent, and that
// the best clade remains.
func TestHGMFollowsTheBudget(t *testing.T) {
	list := family()
	early := shares(mustNamed(t, HGM), list, Budget{0, 1000}, 3000, 1)
	late := shares(mustNamed(t, HGM), list, Budget{999, 1000}, 3000, 1)
	if late[3] < .99 || early[3] > .8 || early[2] == 0 {
		t.Errorf("early %.3f, late %.3f", early, late)
	}
	// In Beta(8, 4) against Beta(12, 8) the first is higher in about .7 of the draws. All
	// five clades share the rest.
	if early[3] < .4 {
		t.Errorf("the best clade is taken with %.3f", early[3])
	}
}

func TestExpandByHand(t *testing.T) {
	if Expand(46, 10) || !Expand(47, 10) { // 10 = N^0.6 at N = 46.4
		t.Error("ten variants need 46.4 evaluations")
	}
	if Expand(-1, 1) || !Expand(1, 1) {
		t.Error("a champion alone needs one evaluation")
	}
}
