package cli

import (
	"math"
	"testing"

	"evolve/archive"
	"evolve/bench"
	"evolve/runtime/agent"
)

func TestScoreOf(t *testing.T) {
	t.Parallel()
	near := func(got, want float64) bool { return math.Abs(got-want) < 5e-4 }
	tasks := map[string]*bench.Task{"a": {ID: "a", Cluster: "x"}, "b": {ID: "b", Cluster: "x"}, "c": {ID: "c", Weight: 2}}
	// Four tasks in three clusters, with weights 1, 1, 2 and 1. The mean is (1 + 0 + 2·1 +
	// .5) / 5.
	s := meanScore(map[string][]float64{"a": {1}, "b": {0, 0}, "c": {1}, "d": {.5}}, tasks)
	if !near(s.Mean, .7) || s.Tasks != 4 || s.Clusters != 3 || s.Evaluations != 5 || s.Lo > .7 || s.Hi < .7 || s.Lo < 0 || s.Hi > 1 {
		t.Errorf("%+v", s)
	}
	// Ten tasks all pass. With error .025, a share of 1 − .025^(1/10) of tasks may fail.
	all := map[string][]float64{}
	for _, name := range "abcdefghij" {
		all[string(name)] = []float64{1}
	}
	if s = meanScore(all, nil); s.Mean != 1 || s.Hi != 1 || !near(s.Lo, math.Pow(.025, .1)) {
		t.Errorf("all pass: %+v, want the lower end %.4f", s, math.Pow(.025, .1))
	}
	if s = meanScore(map[string][]float64{"a": {1}}, nil); s.Lo != 0 || s.Hi != 1 {
		t.Errorf("one task bounds nothing: %+v", s)
	}
}

func TestSortByScore(t *testing.T) {
	t.Parallel()
	list := []archive.Variant{{Number: 1, ID: "a"}, {Number: 2, ID: "b"}, {Number: 3, ID: "c"}, {Number: 4, ID: "d"}}
	sortByScore(list, map[agent.ConfigID]*variantScore{"b": {Mean: 1, Lo: .2}, "c": {Mean: 1, Lo: .8}, "d": {Mean: .5}})
	for i, want := range []int{3, 2, 4, 1} {
		if list[i].Number != want {
			t.Errorf("place %d has v%d, want v%d", i+1, list[i].Number, want)
		}
	}
}
