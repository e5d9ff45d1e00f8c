package contest

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestVersus checks the paired comparison on a fixed list of runs: only problems that both
// contestants ran at the round's budget count, whatever the order of the runs.
func TestVersus(t *testing.T) {
	run := func(name, family string, seed int64, truth float64) Run {
		return Run{Problem: family, Family: family, Seed: seed, Budget: 60, Contestant: name, True: truth, Best: 1}
	}
	runs := []Run{
		run("x", "a", 7, 0.5), run("x", "a", 8, 0.6), run("x", "a", 9, 0.7), run("x", "b", 7, 0.8),
		run("ours", "a", 9, 0.8), run("ours", "a", 8, 0.8), run("ours", "a", 7, 0.8), run("ours", "b", 7, 0.7),
		run("ours", "b", 8, 0.1), // x has no run on this problem
		run("ours", "c", 7, 0.1), run("x", "c", 7, 0.9),
		{Problem: "a", Family: "a", Seed: 7, Budget: 150, Contestant: "x", True: 0, Best: 1},
		{Problem: "another", Family: "b", Seed: 8, Budget: 60, Contestant: "x", True: 0, Best: 1},
	}
	// The differences on family a are .3, .2 and .1; that on b is -.1.
	got := pair(runs, 60, []string{"a", "b"}, "x", "ours")
	if se := math.Sqrt((0.175*0.175 + 0.075*0.075 + 0.025*0.025 + 0.225*0.225) / 3 / 4); got.problems != 4 ||
		math.Abs(got.mean-0.125) > 1e-12 || math.Abs(got.se-se) > 1e-12 {
		t.Errorf("%+v, want 4 problems, .125 and %v", got, se)
	}
	var b strings.Builder
	if err := Versus(&b, Round{Budget: 60, Contestants: []string{"ours", "x", "y"}}, []string{"a", "b"}, runs, "ours"); err != nil {
		t.Fatal(err)
	}
	want := `regret minus that of ours on the same problems: mean ± standard error (problems)
              family                     x  y
                   a  +0.2000 ± 0.0577 (3)  –
                   b           -0.1000 (1)  –
                 all  +0.1250 ± 0.0854 (4)  –
  in standard errors                  +1.5  –
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}
