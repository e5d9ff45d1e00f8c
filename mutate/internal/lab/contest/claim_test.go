package contest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/mutate/internal/lab/problem"
	"evolve/runtime/agent"
)

// dials is a small substitute for a real problem: 60 tasks, each of which succeeds if its
// difficulty is below the quality of the config. The first twenty tasks are for the
// search.
func dials() *problem.Problem {
	space := agent.Space{Params: []agent.Param{
		{Name: "gain", Kind: agent.Float, Max: 1, Default: 0.1},
		{Name: "mode", Kind: agent.Choice, Values: []any{"a", "b", "c"}, Default: "a"},
	}}
	run := func(c agent.Config, place int) float64 {
		quality := c.Float("gain", 0) * 60
		if c.String("mode") != "b" {
			quality /= 2
		}
		if float64(place*7%60) < quality {
			return 1
		}
		return 0
	}
	m := problem.Measured{Run: run, All: func(c agent.Config) []float64 {
		all := make([]float64, 60)
		for i := range all {
			all[i] = run(c, i)
		}
		return all
	}}
	var tasks []problem.Task
	for i := range 60 {
		switch {
		case i < 20:
			m.Search = append(m.Search, i)
			tasks = append(tasks, problem.Task{ID: string(rune('a' + i)), Weight: 1})
		case i < 40:
			m.Holdout = append(m.Holdout, i)
		default:
			m.Truth = append(m.Truth, i)
		}
	}
	best, _ := space.Parse(map[string]any{"gain": 1.0, "mode": "b"})
	m.Known = []agent.Config{best}
	return problem.NewMeasured("dials", 1, space, tasks, m)
}

// TestRealRunsAreNotRepeated checks that the searcher buys no run twice, because a config's
// score on a task is known after one run, and that the searcher's outcome is measured on
// all parts.
func TestRealRunsAreNotRepeated(t *testing.T) {
	p := dials()
	if _, best := p.Best(); best != 1 {
		t.Errorf("the best has %v, not 1", best)
	}
	c, err := Lookup(t.Context(), Ours)
	if err != nil {
		t.Fatal(err)
	}
	d := NewDesk(p, 300, 5)
	seen := map[purchase]bool{}
	d.sold = func(c agent.Config, task int, r problem.Result) {
		key := purchase{c.ID(), task}
		if seen[key] {
			t.Errorf("%s ran on task %d twice", c.Canonical(), task)
		}
		seen[key] = true
	}
	out, err := c.Play(d)
	if err != nil {
		t.Fatal(err)
	}
	got := claim(p, out)
	if want := (Measure{0.05, 0.05, 0.05}); got.Default != want { // one of twenty succeeds
		t.Errorf("the default measures %+v, not %+v", got.Default, want)
	}
	if got.Recommended.True < 0.7 || got.Claimed <= 0 || len(got.Finalists) == 0 || got.Baseline == nil {
		t.Errorf("claim %+v", got)
	}
}

func TestClaims(t *testing.T) {
	run := func(name string, claimed, standard float64, finalists []Measure, baseline *Measure) Run {
		c := &Claim{Claimed: claimed, Default: Measure{True: standard, Holdout: 0.5}, Recommended: finalists[0], Finalists: finalists, Baseline: baseline}
		return Run{Family: "f", Budget: 100, Contestant: name, True: finalists[0].True, Best: 0.9, Default: standard, Claim: c}
	}
	runs := []Run{
		run("ours", 0.8, 0.5, []Measure{{0.8, 0.55, 0.6}, {0.7, 0.6, 0.7}}, &Measure{0.6, 0.65, 0.65}),
		run("ours", 0.6, 0.5, []Measure{{0.7, 0.45, 0.4}, {0.7, 0.5, 0.7}}, &Measure{0.6, 0.4, 0.35}),
		run("x", 0.7, 0.5, []Measure{{0.7, 0.4, 0.6}}, nil),
		{Family: "f", Budget: 100, Contestant: "y"},
	}
	var b strings.Builder
	if err := Claims(&b, Round{Budget: 100, Contestants: []string{"ours", "x", "y"}}, []string{"f"}, runs); err != nil {
		t.Fatal(err)
	}
	want := `
f: means on tasks that the search did not have
  contestant  claimed  on search tasks   true  true - default  best - true  worse than default  stays  first finalist  confirmed  best finalist  baseline  baseline better  confirmed with baseline
        ours    0.700            0.750  0.500          +0.000        0.400                0.50   0.00           0.500      0.600          0.700     0.500             0.50                    0.575
           x    0.700            0.700  0.600          +0.100        0.300                0.00   0.00           0.600      0.500          0.600         –                –                        –
           y        –                –      –               –            –                   –      –               –          –              –         –                –                        –
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}
