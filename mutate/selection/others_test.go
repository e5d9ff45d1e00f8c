package selection

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDGMByHand(t *testing.T) {
	// The means are 0, .06, −.05, .12 and .02, with median .02. The deviations are .02,
	// .04, .07, .1 and 0, with median .04.
	weight := func(m, children float64) float64 { return 1 / (1 + math.Exp(-2*(m-.02)/.04)) / (1 + children) }
	want := []float64{weight(0, 2), weight(.06, 2), weight(-.05, 1), weight(.12, 0), weight(.02, 0)}
	sum := 0.0
	for _, w := range want {
		sum += w
	}
	got := shares(mustNamed(t, "dgm"), family(), Budget{}, 20_000, 2)
	for i := range want {
		if d := got[i] - want[i]/sum; math.Abs(d) > .015 {
			t.Errorf("candidate %d is taken with %.3f, want %.3f", i, got[i], want[i]/sum)
		}
	}
}

func TestParetoByHand(t *testing.T) {
	list := family()
	// The best candidates are 1 and 3 on task 0, 3 on task 1, 4 on task 2, and 2 and 3 on
	// task 3. So 1 and 2 are covered by 3.
	fronts := frontsOf(list)
	if d := cmp.Diff([][]int{{1, 3}, {3}, {4}, {2, 3}}, fronts); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([][]int{nil, nil, nil, {0, 1, 3}, {2}}, uncovered(list, fronts, chance(1))); d != "" {
		t.Error(d)
	}
	got := shares(mustNamed(t, "pareto"), list, Budget{}, 8000, 3)
	for i, want := range []float64{0, 0, 0, .75, .25} {
		if math.Abs(got[i]-want) > .02 {
			t.Errorf("candidate %d is taken with %.3f, want %.2f", i, got[i], want)
		}
	}
}

// TestParetoKeepsEveryFrontHeld checks that after covered candidates are removed, every
// task still has one of its best candidates, including twins.
func TestParetoKeepsEveryFrontHeld(t *testing.T) {
	for seed := range uint64(200) {
		rng := chance(seed)
		list := make([]Candidate, 2+rng.IntN(9))
		for i := range list {
			list[i].Mean = float64(rng.IntN(3))
			for range 6 {
				list[i].Tasks = append(list[i].Tasks, []float64{0, .5, 1, math.NaN()}[rng.IntN(4)])
			}
		}
		fronts := frontsOf(list)
		held := make([]int, len(fronts))
		for i, tasks := range uncovered(list, fronts, rng) {
			sole := 0
			for _, f := range tasks {
				held[f]++
				if len(fronts[f]) == 1 && fronts[f][0] == i {
					sole++
				}
			}
		}
		for f, n := range held {
			if n == 0 {
				t.Fatalf("seed %d: no candidate holds front %d of %v", seed, f, fronts[f])
			}
		}
	}
}

func TestCellsByHand(t *testing.T) {
	list := family()
	want := []cell{
		{2, 2, -1}, // the champion itself
		{0, 2, 0},  // at .4 of the champion's cost; gains .2 and −.1
		{3, 4, 1},  // at 1.5 times the champion's cost and 2.5 times its time; gains −.15 and .05
		{2, 2, 0},  // at .95 of the champion's cost; gains .35 and 0
		{4, -1, -1},
	}
	var got []cell
	for _, c := range list {
		got = append(got, cellOf(c, list[0]))
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(cell{})); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int{0, 1, 2, 1, 1}, homesOf(list)); d != "" {
		t.Error(d)
	}
}

// TestIslandsAndTheirMigrant checks that island 1 has candidates 1, 3 and 4, island 2 has
// candidate 2 and the migrant 3, and island 3 has the migrant 2. Island 0 has none but the
// champion, which is on all islands.
func TestIslandsAndTheirMigrant(t *testing.T) {
	// The cells are {0} on island 0; {0} {1} {3} {4} on 1; {0} {2} {3} on 2; {0} {2} on 3.
	want := []float64{
		(1 + 1./4 + 1./3 + 1./2) / 4,
		(1. / 4) / 4,
		(1./3 + 1./2) / 4,
		(1./4 + 1./3) / 4,
		(1. / 4) / 4,
	}
	got := shares(mustNamed(t, "map_elites"), family(), Budget{}, 20_000, 6)
	for i := range want {
		if math.Abs(got[i]-want[i]) > .015 {
			t.Errorf("candidate %d is taken with %.3f, want %.3f", i, got[i], want[i])
		}
	}
}

func TestTheElitesAreTheBestOfTheirCells(t *testing.T) {
	list := family()
	better := list[3]
	better.Mean, better.Number = .3, 9
	list = append(list, better)
	if got := shares(mustNamed(t, "map_elites"), list, Budget{}, 2000, 1); got[3] != 0 || got[5] == 0 {
		t.Errorf("the worse of a cell is taken with %.3f, the better with %.3f", got[3], got[5])
	}
}

func TestTopKTakesTheTwoBest(t *testing.T) {
	got := shares(mustNamed(t, "top_k"), family(), Budget{}, 4000, 1)
	if got[0]+got[2]+got[4] != 0 || math.Abs(got[3]-.5) > .03 || math.Abs(got[1]-.5) > .03 {
		t.Errorf("shares %.3f", got)
	}
}

func TestRandomTakesAll(t *testing.T) {
	for i, share := range shares(mustNamed(t, "random"), family(), Budget{}, 5000, 1) {
		if math.Abs(share-.2) > .03 {
			t.Errorf("candidate %d is taken with %.3f", i, share)
		}
	}
}

func TestAReasonHasFigures(t *testing.T) {
	for name, want := range map[string]string{
		"clade":      "clade: the variant and its descendants have a gain of +0.015 ± 0.044 in evaluations with a total weight of 27.5; sampled gain +0.029",
		"hgm":        "hgm: it and its descendants have 7.0 successes and 3.0 failures; sampled success rate 0.639 at τ 2.00",
		"dgm":        "dgm: +0.120 over the champion (median +0.020), with 0 children; selection probability 0.525",
		"pareto":     "pareto: +0.120 over the champion, best on 3 of 4 tasks, one of 2 non-dominated variants",
		"map_elites": "map_elites: +0.120 over the champion, a migrant, best of 1 in cell (cost 2, latency 2, domain 0), one of 3 cells of island 2",
		"top_k":      "top_k: the second-best variant, +0.060 over the champion",
		"random":     "random: one of 5 variants",
	} {
		if _, why := mustNamed(t, name)(family(), Budget{500, 1000}, chance(2)); why != want {
			t.Errorf("%s says %q", name, why)
		}
	}
}
