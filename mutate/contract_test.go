package mutate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/bench"
	"evolve/runtime/agent"
)

// script drives a searcher with the given number of evaluations in flight. It gives their
// results in random order, and records the evaluations.
type script struct {
	inFlight int
	seed     uint64
	// score returns the score of a trial; its second result is false for missing data.
	score  func(Trial, *rand.Rand) (float64, bool)
	trials []Trial
	told   []Observation
}

func (c *script) run(t testing.TB, s Searcher) Recommendation {
	t.Helper()
	rng := rand.New(rand.NewPCG(c.seed, 5))
	var flying []Trial
	for {
		tr, status := s.Ask()
		switch status {
		case Ready:
			flying = append(flying, tr)
			c.trials = append(c.trials, tr)
		case Wait:
			if len(flying) == 0 {
				t.Fatal("the searcher waits for nothing")
			}
		case Done:
			if len(flying) == 0 {
				if _, again := s.Ask(); again != Done {
					t.Fatal("a searcher that was done asks on")
				}
				return s.Recommend()
			}
		}
		if len(flying) >= max(1, c.inFlight) || status != Ready {
			i := rng.IntN(len(flying))
			tr := flying[i]
			flying = slices.Delete(flying, i, i+1)
			o := Observation{Trial: tr}
			o.Score, o.Scored = c.score(tr, rng)
			c.told = append(c.told, o)
			s.Tell(o)
		}
	}
}

func coin(_ Trial, rng *rand.Rand) (float64, bool) { return float64(rng.IntN(2)), true }

// hostile returns missing data, NaN, infinities and numbers out of range.
func hostile(_ Trial, rng *rand.Rand) (float64, bool) {
	odd := []float64{math.NaN(), math.Inf(1), -1, 7, 0, 1, 0.5, math.SmallestNonzeroFloat64}
	return odd[rng.IntN(len(odd))], rng.IntN(4) != 0
}

func TestContract(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, o := anySearch(rt, nil)
		c := &script{
			inFlight: rapid.SampledFrom([]int{1, 4, 64}).Draw(rt, "in flight"), seed: rapid.Uint64().Draw(rt, "answers"),
			score: hostile,
		}
		rec := c.run(t, s)
		type key struct {
			id     agent.ConfigID
			task   string
			repeat int
		}
		once := map[key]bool{}
		known := map[agent.ConfigID]bool{}
		for n, tr := range c.trials {
			validate(rt, o.Space, tr.Config)
			k := key{tr.Variant, tr.Task, tr.Repeat}
			switch {
			case tr.N != int64(n):
				rt.Fatalf("trial %d is numbered %d", n, tr.N)
			case tr.Config.ID() != tr.Variant:
				rt.Fatalf("trial %d names another config", n)
			case once[k]:
				rt.Fatalf("trial %d repeats %v", n, k)
			case o.MaxRepeats > 0 && tr.Repeat >= o.MaxRepeats:
				rt.Fatalf("trial %d is repeat %d of %d", n, tr.Repeat, o.MaxRepeats)
			case tr.Stage != bench.StageSearch && tr.Stage != bench.StageBaseline:
				rt.Fatalf("trial %d is of stage %q", n, tr.Stage)
			case n == 0 && tr.Operator != "champion":
				rt.Fatal("the champion does not come first")
			case tr.Operator == "" || tr.Variant != o.Champion.ID() && tr.Rationale == "":
				rt.Fatalf("trial %d has no story: %+v", n, tr)
			}
			for _, p := range tr.Parents {
				if !known[p] {
					rt.Fatalf("trial %d descends from %s, which was never tried", n, p)
				}
			}
			once[k], known[tr.Variant] = true, true
		}
		if len(c.trials) != o.Budget && !rec.Exhausted || len(c.trials) > o.Budget {
			rt.Fatalf("%d trials of %d, exhausted %v", len(c.trials), o.Budget, rec.Exhausted)
		}
		if o.MaxRepeats == 0 && rec.Exhausted {
			rt.Fatal("exhausted though repeats have no bound")
		}
		if rec.Exhausted && len(c.trials) != len(known)*len(o.Tasks)*o.MaxRepeats {
			rt.Fatalf("exhausted after %d trials of %d variants", len(c.trials), len(known))
		}
		judge(rt, o, c, rec)
	})
}

// judge checks the invariants of a recommendation.
func judge(t *rapid.T, o Options, c *script, rec Recommendation) {
	if rec.Champion.Variant != o.Champion.ID() || len(rec.Reasons) == 0 || rec.Variants == 0 {
		t.Fatalf("recommendation without champion, reasons or count: %+v", rec)
	}
	if len(rec.Finalists) > 3 {
		t.Fatalf("%d finalists", len(rec.Finalists))
	}
	for i, e := range append([]Estimate{rec.Champion, rec.Best, rec.Random}, rec.Finalists...) {
		if i == 2 && e.Variant == "" {
			continue
		}
		if !(0 <= e.Lo && e.Lo <= e.Score && e.Score <= e.Hi && e.Hi <= 1) {
			t.Fatalf("estimate %v [%v, %v]", e.Score, e.Lo, e.Hi)
		}
		scored, success := 0, 0.0
		for _, w := range c.told {
			if w.Trial.Variant == e.Variant && w.Scored && w.Score >= 0 && w.Score <= 1 {
				scored++
				success += w.Score
			}
		}
		if e.Evaluations != scored {
			t.Fatalf("an estimate counts %d evaluations of %d", e.Evaluations, scored)
		}
		if i > 2 && (e.Variant == o.Champion.ID() || success == 0) {
			t.Fatalf("a finalist that is the champion or never had success: %+v", e)
		}
	}
	if rec.Best.Variant != rec.Champion.Variant {
		if rec.Best.Score < rec.Champion.Score || rec.Best.Evaluations == 0 || rec.Champion.Evaluations == 0 {
			t.Fatalf("recommends %+v over %+v", rec.Best, rec.Champion)
		}
	}
}

func TestSameCallsSameSearch(t *testing.T) {
	check := func(selection string, inFlight, budget int) {
		t.Run(fmt.Sprintf("%s/%d", selection, inFlight), func(t *testing.T) {
			run := func(peek bool) (*script, Recommendation) {
				space := mixedSpace(12)
				s := newSearch(t, Options{Space: space, Champion: space.Default(), Tasks: makeTasks(20), Budget: budget, Seed: 3, Selection: selection})
				c := &script{inFlight: inFlight, seed: 9, score: func(tr Trial, rng *rand.Rand) (float64, bool) {
					if peek {
						s.Recommend() // has no side effect
					}
					return coin(tr, rng)
				}}
				return c, c.run(t, s)
			}
			a, recA := run(false)
			b, recB := run(true)
			if d := cmp.Diff(a.trials, b.trials); d != "" {
				t.Errorf("another trace: %s", d)
			}
			if d := cmp.Diff(recA, recB); d != "" {
				t.Errorf("another recommendation: %s", d)
			}
		})
	}
	for _, inFlight := range []int{1, 64, 256} {
		check("", inFlight, 300)
	}
	for _, selection := range Selections() {
		check(selection, 16, 150)
	}
}

func TestSeedsDiffer(t *testing.T) {
	space := mixedSpace(6)
	first := func(seed int64) agent.ConfigID {
		c := &script{score: coin}
		c.run(t, newSearch(t, Options{Space: space, Champion: space.Default(), Tasks: makeTasks(5), Budget: 60, Seed: seed}))
		return c.trials[len(c.trials)-1].Variant
	}
	if first(1) == first(2) {
		t.Error("two seeds made the same last variant")
	}
}

// tinySpace returns a space with ten configs: 2 without depth, 2 × 4 with depth.
func tinySpace() agent.Space {
	return agent.Space{Params: []agent.Param{
		{Name: "on", Kind: agent.Bool, Default: false},
		{Name: "mode", Kind: agent.Choice, Values: []any{"a", "b"}, Default: "a"},
		{Name: "depth", Kind: agent.Int, Min: 1, Max: 4, Default: int64(2), When: map[string][]any{"on": {true}}},
		{Name: "fixed", Kind: agent.Int, Min: 7, Max: 7, Default: int64(7)},
	}}
}

func TestTinySpaceIsVisitedWhole(t *testing.T) {
	for seed := range int64(5) {
		for _, share := range []float64{0, -1, 0.5, 1} {
			space := tinySpace()
			c := &script{inFlight: int(1 + seed%5), score: coin}
			rec := c.run(t, newSearch(t, Options{
				Space: space, Champion: space.Default(), Tasks: makeTasks(3), Budget: 1000, MaxRepeats: 1, Seed: seed, BaselineShare: share,
			}))
			if len(c.trials) != 30 || !rec.Exhausted || rec.Variants != 10 {
				t.Errorf("seed %d, share %v: %d trials of 30, %d variants of 10, exhausted %v", seed, share, len(c.trials), rec.Variants, rec.Exhausted)
			}
		}
	}
}

func TestLargestCountableSubset(t *testing.T) {
	space := agent.Space{Params: []agent.Param{
		{Name: "tools", Kind: agent.Subset, Of: []string{"a", "b", "c", "d", "e", "f"}, MinItems: 2, MaxItems: 3, Default: []string{"a", "b"}},
	}}
	c := &script{score: coin}
	rec := c.run(t, newSearch(t, Options{Space: space, Champion: space.Default(), Tasks: makeTasks(1), Budget: 1000, MaxRepeats: 1}))
	if rec.Variants != 15+20 || !rec.Exhausted {
		t.Errorf("%d variants of 35, exhausted %v", rec.Variants, rec.Exhausted)
	}
}

func TestNothingToSearch(t *testing.T) {
	space := agent.Space{Params: []agent.Param{{Name: "x", Kind: agent.Choice, Values: []any{"only"}, Default: "only"}}}
	for _, sp := range []agent.Space{space, {}} {
		c := &script{inFlight: 3, score: coin}
		rec := c.run(t, newSearch(t, Options{Space: sp, Champion: sp.Default(), Tasks: makeTasks(4), Budget: 100, MaxRepeats: 1}))
		if len(c.trials) != 4 || !rec.Exhausted || rec.Best.Variant != rec.Champion.Variant {
			t.Errorf("%d trials, exhausted %v", len(c.trials), rec.Exhausted)
		}
		c = &script{score: coin}
		rec = c.run(t, newSearch(t, Options{Space: sp, Champion: sp.Default(), Tasks: makeTasks(1), Budget: 400}))
		if len(c.trials) != 400 || rec.Exhausted {
			t.Errorf("with repeats %d trials, exhausted %v", len(c.trials), rec.Exhausted)
		}
	}
}

func TestBadOptions(t *testing.T) {
	good := Options{Space: tinySpace(), Champion: tinySpace().Default(), Tasks: makeTasks(2), Budget: 10}
	for want, change := range map[string]func(*Options){
		"a search needs tasks":                               func(o *Options) { o.Tasks = nil },
		"a search needs a budget of at least one evaluation": func(o *Options) { o.Budget = 0 },

		`there is no selection "best"; the selections are clade, hgm, dgm, pareto, map_elites, top_k, random`: func(o *Options) { o.Selection = "best" },

		`the champion: parameter "mode" must be one of a, b`: func(o *Options) { o.Champion = agent.Config{"mode": "c"} },
		`two tasks are called "t0"`:                          func(o *Options) { o.Tasks = append(o.Tasks, Task{ID: "t0"}) },
		`the space: parameter "mode" is declared twice`:      func(o *Options) { o.Space.Params = append(o.Space.Params, o.Space.Params[1]) },
	} {
		o := good
		change(&o)
		if _, err := New(o); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for _, odd := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 5} {
		o := good
		o.BaselineShare = odd
		o.Tasks = []Task{{ID: "a", Weight: odd}, {ID: "b", Weight: -1}}
		c := &script{score: coin}
		rec := c.run(t, newSearch(t, o))
		if len(c.trials) != 10 || math.IsNaN(rec.Best.Score) {
			t.Errorf("share %v: %d trials, score %v", odd, len(c.trials), rec.Best.Score)
		}
	}
}

func TestRandomBaselineGetsItsShare(t *testing.T) {
	for _, share := range []float64{-1, 0, 0.05, 0.3} {
		space := mixedSpace(6)
		c := &script{inFlight: 16, score: coin}
		rec := c.run(t, newSearch(t, Options{Space: space, Champion: space.Default(), Tasks: makeTasks(30), Budget: 200, BaselineShare: share}))
		n := 0
		for _, tr := range c.trials {
			if tr.Stage == bench.StageBaseline {
				n++
				if tr.Operator != "random" || len(tr.Parents) > 0 {
					t.Fatalf("a baseline variant made by %s", tr.Operator)
				}
			}
		}
		want := map[float64]int{-1: 0, 0: 20, 0.05: 10, 0.3: 60}[share]
		if n < want-1 || n > want+1 {
			t.Errorf("share %v: %d baseline evaluations, want %d", share, n, want)
		}
		if (rec.Random.Evaluations > 0) != (want > 0) {
			t.Errorf("share %v: baseline estimate of %d evaluations", share, rec.Random.Evaluations)
		}
	}
}
