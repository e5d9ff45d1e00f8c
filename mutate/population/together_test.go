package population

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/mutate"
	"evolve/mutate/operator"
	"evolve/runtime/agent"
)

// gained is a world whose programs run with a parameter. The score is the program's score
// multiplied by the nearness of the parameter to 8.
type gained struct{ *world }

func (g gained) parameters() agent.Space {
	return agent.Space{Params: []agent.Param{
		{Name: "gain", Kind: agent.Int, Min: 0, Max: 10, Default: int64(2)},
		{Name: "mode", Kind: agent.Choice, Values: []any{"wrong", "right"}, Default: "wrong"},
	}}
}

func (g gained) options(budget int, seed int64) Options {
	o := g.world.options(budget, seed)
	o.Space.Params = append(o.Space.Params, g.parameters().Params...)
	o.Champion = o.Space.Default()
	for i, op := range o.Operators {
		o.Operators[i] = kept{op}
	}
	return o
}

// kept is an operator on the program that leaves the parameters unchanged.
type kept struct{ operator.Operator }

func (k kept) Make(s operator.FailureContext, rng *rand.Rand) (operator.Child, bool) {
	child, ok := k.Operator.Make(s, rng)
	if ok {
		whole := s.Parent.Clone()
		whole["block"] = child.Config["block"]
		child.Config = whole
	}
	return child, ok
}

func (g gained) fit(c agent.Config) float64 {
	fit := 1 - math.Abs(float64(c["gain"].(int64))-8)/10
	if c["mode"] == "wrong" {
		fit /= 2
	}
	return fit
}

func (g gained) score(c agent.Config, task string) float64 {
	return g.fit(c) * g.world.score(c, task)
}
func (g gained) truth(c agent.Config) float64 { return g.fit(c) * g.world.truth(c) }

func startTogether(t *testing.T, g gained, o Options) mutate.Searcher {
	t.Helper()
	s, err := Together(o, g.parameters())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTogetherBeatsEither compares a joint search of programs and parameters with a search
// of only one of them, at equal numbers of evaluations.
func TestTogetherBeatsEither(t *testing.T) {
	t.Parallel()
	const budget = 2000
	for seed := range int64(3) {
		g := gained{newWorld(60, 5+uint64(seed))}
		score := func(tr mutate.Trial) (float64, bool) { return g.score(tr.Config, tr.Task), true }
		o := g.options(budget, seed)
		both := startTogether(t, g, o)
		trials := drive(t, both, 4, score)
		if len(trials) != budget {
			t.Errorf("%d evaluations, want %d", len(trials), budget)
		}
		paid := map[[2]string]bool{}
		for n, tr := range trials {
			if tr.N != int64(n) || tr.Variant != tr.Config.ID() || len(tr.Config) != 3 {
				t.Fatalf("trial %d is %+v", n, tr)
			}
			if n < budget/2 && tr.Config["block"] != o.Champion["block"] {
				t.Fatalf("trial %d of the first part has another program", n)
			}
			key := [2]string{string(tr.Variant), tr.Task}
			if n >= budget/2 && paid[key] {
				t.Fatalf("trial %d was paid in the first part", n)
			}
			paid[key] = true
		}
		code := o
		alone := start(t, code)
		drive(t, alone, 4, score)
		config := o.Options
		config.Space, config.Champion, config.BaselineShare = g.parameters(), g.parameters().Default(), -1
		knobs, err := mutate.New(config)
		if err != nil {
			t.Fatal(err)
		}
		drive(t, knobs, 4, func(tr mutate.Trial) (float64, bool) {
			tr.Config["block"] = o.Champion["block"]
			return g.score(tr.Config, tr.Task), true
		})
		best := knobs.Recommend().Best.Config.Clone()
		best["block"] = o.Champion["block"]
		a, b, c := g.truth(both.Recommend().Best.Config), g.truth(alone.Recommend().Best.Config), g.truth(best)
		t.Logf("seed %d: true score of both %.3f, of the program alone %.3f, of the parameters alone %.3f", seed, a, b, c)
		if a <= b || a <= c {
			t.Errorf("seed %d: together %.3f, alone %.3f and %.3f", seed, a, b, c)
		}
	}
}

func TestTogetherIsDeterministic(t *testing.T) {
	t.Parallel()
	g := gained{newWorld(30, 2)}
	score := func(tr mutate.Trial) (float64, bool) { return g.score(tr.Config, tr.Task), true }
	run := func() []mutate.Trial { return drive(t, startTogether(t, g, g.options(600, 3)), 4, score) }
	if diff := cmp.Diff(run(), run()); diff != "" {
		t.Errorf("two runs differ:\n%s", diff)
	}
}

// TestTogetherContinues checks that the results of an interrupted process count, whichever
// part they belong to, and that the recommendation of the first part names whole configs.
func TestTogetherContinues(t *testing.T) {
	t.Parallel()
	g := gained{newWorld(40, 3)}
	o := g.options(800, 1)
	score := func(tr mutate.Trial) (float64, bool) { return g.score(tr.Config, tr.Task), true }
	trials := drive(t, startTogether(t, g, o), 4, score)
	for _, told := range []int{100, 399, 400, 401, 700} {
		s := startTogether(t, g, o)
		for _, tr := range trials[:told] {
			v, _ := score(tr)
			s.Tell(mutate.Observation{Trial: tr, Scored: true, Score: v})
		}
		if rec := s.Recommend(); len(rec.Best.Config) != 3 || rec.Best.Variant != rec.Best.Config.ID() || rec.Champion.Variant != o.Champion.ID() {
			t.Errorf("after %d results of another process: best %+v", told, rec.Best)
		}
		more := drive(t, s, 4, score)
		rec := s.Recommend()
		if got := told + len(more); got < 800 || got > 800+10 {
			t.Errorf("%d results of another process and %d of this one, want 800 in all", told, len(more))
		}
		if rec.Told < 790 || rec.Best.Gain <= 0 || g.truth(rec.Best.Config) <= g.truth(o.Champion) {
			t.Errorf("after %d results of another process: told %d, best %+v", told, rec.Told, rec.Best)
		}
	}
}

// TestTogetherResizes checks that the number of evaluations may change in both parts.
func TestTogetherResizes(t *testing.T) {
	t.Parallel()
	g := gained{newWorld(40, 3)}
	for at, to := range map[int]int{50: 300, 350: 500, 390: 120} {
		s := startTogether(t, g, g.options(600, 1))
		n := 0
		drive(t, s, 1, func(tr mutate.Trial) (float64, bool) {
			if n++; n == at {
				s.Resize(to)
			}
			return g.score(tr.Config, tr.Task), true
		})
		if want := max(at, to); n > want+1 || n < want {
			t.Errorf("%d evaluations after a change to %d at %d", n, to, at)
		}
	}
}

// TestTogetherWithoutParameters checks that a parameter space that offers no choice is not
// searched.
func TestTogetherWithoutParameters(t *testing.T) {
	t.Parallel()
	w := newWorld(20, 2)
	s, err := Together(w.options(200, 1), agent.Space{})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := s.(*search); !ok {
		t.Errorf("the search is %T", s)
	}
	if _, err := Together(Options{}, agent.Space{}); err == nil {
		t.Error("options without anything are accepted")
	}
}

// TestModelsWriteTheirParametersAlone checks that briefs ask only for the named parameters.
func TestModelsWriteTheirParametersAlone(t *testing.T) {
	t.Parallel()
	g := gained{newWorld(30, 4)}
	o := authored(g.options(600, 2), mutate.Rate{Every: 20, MaxCalls: 20}, "good")
	o.Authored = []string{"block"}
	briefs := 0
	for _, tr := range driveWith(t, startTogether(t, g, o), 4, func(tr mutate.Trial) (float64, bool) { return g.score(tr.Config, tr.Task), true }, func(tr mutate.Trial) mutate.Observation {
		out := g.models(tr)
		if out.Draft != nil {
			whole := tr.Config.Clone()
			whole["block"] = out.Draft.Config["block"]
			out.Draft.Config = whole
		}
		return out
	}) {
		if tr.Brief != nil {
			if briefs++; tr.Brief.Component != "block" {
				t.Errorf("a brief for %s", tr.Brief.Component)
			}
		}
	}
	if briefs == 0 {
		t.Error("no brief was asked for")
	}
}

// TestVariantsOfOtherParametersStayApart checks that variants that behave alike are all
// parents if their parameters differ.
func TestVariantsOfOtherParametersStayApart(t *testing.T) {
	t.Parallel()
	g := gained{newWorld(20, 4)}
	for apart, want := range map[bool]int{false: 1, true: 3} {
		o := g.options(100, 2)
		o.Operators = []operator.Operator{kept{nudge{}}}
		if apart {
			o.Apart = func(c agent.Config) string { return c.ID().Short() }
		}
		s := start(t, o)
		var pool []*member
		for i := range int64(3) {
			c := o.Champion.Clone()
			c["gain"] = i
			m := s.enter(c)
			for j := range m.scores {
				m.set(j, .5, 1)
			}
			pool = append(pool, m)
		}
		if got := len(s.distinct(pool)); got != want {
			t.Errorf("apart %t: %d parents, want %d", apart, got, want)
		}
	}
}
