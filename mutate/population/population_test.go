package population

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/mutate"
	"evolve/mutate/operator"
	"evolve/mutate/selection"
	"evolve/runtime/agent"
)

// start returns a search, or fails the test.
func start(t testing.TB, o Options) *search {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*search)
}

// TestSearchImproves checks that the search, with every selection, beats a search that
// evaluates every mutant of the champion on all cases, at equal cost.
func TestSearchImproves(t *testing.T) {
	t.Parallel()
	for _, name := range selection.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mean, plain := 0., 0.
			const worlds = 6
			for seed := range uint64(worlds) {
				w := newWorld(100, seed)
				o := w.options(8000, int64(seed))
				o.Selection = name
				s := start(t, o)
				drive(t, s, 4, func(tr mutate.Trial) (float64, bool) { return w.score(tr.Config, tr.Task), true })
				mean += w.truth(s.Recommend().Best.Config) / worlds
				plain += hillClimb(w, 80, seed) / worlds
			}
			t.Logf("true score %.3f, hill climbing at equal cost %.3f", mean, plain)
			// The other selections explore more than is useful on a single smooth hill.
			greedy := name == selection.Default || name == "top_k" || name == "pareto" || name == "map_elites"
			if greedy && mean <= plain {
				t.Errorf("true score %.3f, hill climbing has %.3f", mean, plain)
			}
		})
	}
}

// hillClimb evaluates the given number of mutants on all cases. Each is a mutant of the
// best config so far.
func hillClimb(w *world, mutants int, seed uint64) float64 {
	rng := rand.New(rand.NewPCG(seed, 2))
	best := w.space.Default()
	top := w.truth(best)
	for range mutants {
		child, _ := nudge{}.Make(operator.FailureContext{Parent: best, Scale: .5}, rng)
		if v := w.truth(child.Config); v > top {
			best, top = child.Config, v
		}
	}
	return top
}

func TestContract(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(rapid.IntRange(1, 30).Draw(rt, "cases"), 1)
		o := w.options(rapid.IntRange(1, 400).Draw(rt, "budget"), rapid.Int64().Draw(rt, "seed"))
		o.Stages = rapid.SampledFrom([][]int{nil, {1}, {3, 9}, {5, 5, 500}, {-1, 0, 2}}).Draw(rt, "stages")
		o.Islands = rapid.IntRange(0, 5).Draw(rt, "islands")
		o.Selection = rapid.SampledFrom(append(selection.Names(), "")).Draw(rt, "selection")
		odd := []float64{math.NaN(), math.Inf(1), -1, 7, 0, 1, .5}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "answers"), 1))
		hostile := func(mutate.Trial) (float64, bool) { return odd[rng.IntN(len(odd))], rng.IntN(4) != 0 }
		s := start(t, o)
		trials := drive(t, s, rapid.SampledFrom([]int{1, 4, 64}).Draw(rt, "in flight"), hostile)
		if len(trials) != o.Budget {
			rt.Fatalf("%d trials of %d", len(trials), o.Budget)
		}
		known, once := map[agent.ConfigID]bool{}, map[string]bool{}
		for n, tr := range trials {
			key := string(tr.Variant) + tr.Task
			switch {
			case tr.N != int64(n) || tr.Config.ID() != tr.Variant || tr.Repeat != 0:
				rt.Fatalf("trial %d is %+v", n, tr)
			case once[key]:
				rt.Fatalf("trial %d was paid twice", n)
			case n == 0 && tr.Operator != "champion":
				rt.Fatal("the champion does not come first")
			case n > 0 && tr.Operator != "champion" && (tr.Rationale == "" || len(tr.Parents) == 0 || tr.Generation < 1):
				rt.Fatalf("trial %d has no origin: %+v", n, tr)
			}
			for _, p := range tr.Parents {
				if !known[p] {
					rt.Fatalf("trial %d descends from a variant that was never tried", n)
				}
			}
			once[key], known[tr.Variant] = true, true
		}
		rec := s.Recommend()
		if len(rec.Reasons) == 0 || rec.Champion.Variant != o.Champion.ID() || rec.Variants != len(known) || rec.Told != len(trials) {
			rt.Fatalf("recommendation %+v after %d trials of %d variants", rec, len(trials), len(known))
		}
		for _, e := range append(rec.Finalists, rec.Best, rec.Champion) {
			if !(0 <= e.Lo && e.Lo <= e.Score && e.Score <= e.Hi && e.Hi <= 1) || math.IsNaN(e.Gain+e.SD) {
				rt.Fatalf("estimate %+v", e)
			}
		}
	})
}

// TestSearchIsDeterministic checks that the same calls give the same search, and that
// results alone are enough to continue a resumed search.
func TestSearchIsDeterministic(t *testing.T) {
	t.Parallel()
	w := newWorld(40, 3)
	score := func(tr mutate.Trial) (float64, bool) { return w.score(tr.Config, tr.Task), true }
	one, two := start(t, w.options(1500, 5)), start(t, w.options(1500, 5))
	if diff := cmp.Diff(drive(t, one, 4, score), drive(t, two, 4, score)); diff != "" {
		t.Errorf("two runs differ:\n%s", diff)
	}
	resumed := start(t, w.options(1500, 5))
	for _, tr := range drive(t, start(t, w.options(700, 5)), 4, score) {
		v, _ := score(tr)
		resumed.Tell(mutate.Observation{Trial: tr, Scored: true, Score: v})
	}
	if rec := resumed.Recommend(); rec.Told != 700 || rec.Best.Gain <= 0 {
		t.Errorf("after 700 results of another process: %+v", rec)
	}
}

// TestOnlyPromisingVariantsGetMoreCases checks that a variant that is plainly worse gets
// only the probe or the first stage.
func TestOnlyPromisingVariantsGetMoreCases(t *testing.T) {
	t.Parallel()
	w := newWorld(100, 4)
	s := start(t, w.options(4000, 1))
	counts := map[agent.ConfigID]int{}
	for _, tr := range drive(t, s, 4, func(tr mutate.Trial) (float64, bool) { return w.score(tr.Config, tr.Task), true }) {
		counts[tr.Variant]++
	}
	stages := map[int]int{}
	for id, n := range counts {
		stages[n]++
		if m := s.byID[id]; n > 10 && m.index > 0 && m.gain <= 0 && m.deviation < .01 {
			t.Errorf("a variant with gain %+.3f ± %.3f got %d cases", m.gain, m.deviation, n)
		}
	}
	t.Logf("variants by number of cases: %v", stages)
	if short := stages[3] + stages[10]; short < 100 || short < 2*(len(counts)-short) {
		t.Errorf("variants by number of cases: %v; want most to end after 3 or 10", stages)
	}
}

// TestFinalistsRanAllCases checks that the recommended variant was evaluated on the cases
// of all stages, however many variants were lucky in the first stage.
func TestFinalistsRanAllCases(t *testing.T) {
	t.Parallel()
	finalists := 0
	for seed := range int64(6) {
		w := newWorld(30, 4)
		rng := rand.New(rand.NewPCG(uint64(seed), 9))
		noise := map[[2]string]float64{}
		s := start(t, w.options(700, seed))
		drive(t, s, 4, func(tr mutate.Trial) (float64, bool) {
			key := [2]string{string(tr.Variant), tr.Task}
			if _, known := noise[key]; !known {
				noise[key] = .15 * rng.NormFloat64()
			}
			return w.score(tr.Config, tr.Task) + noise[key], true
		})
		rec := s.Recommend()
		finalists += len(rec.Finalists)
		for i, f := range rec.Finalists {
			if f.Common < 30 {
				t.Errorf("seed %d: finalist %d ran %d of 30 cases", seed, i, f.Common)
			}
		}
	}
	if finalists < 10 {
		t.Errorf("%d finalists in six searches", finalists)
	}
}

// TestSmallBudgets checks that a small budget is usually enough to evaluate the best
// variant on all cases, and that luck does not explain the gain of a finalist that was
// evaluated on fewer cases.
func TestSmallBudgets(t *testing.T) {
	t.Parallel()
	complete := 0
	for seed := range int64(20) {
		w := newWorld(80, uint64(seed))
		rng := rand.New(rand.NewPCG(uint64(seed), 9))
		s := start(t, w.options(300, seed))
		drive(t, s, 8, func(tr mutate.Trial) (float64, bool) {
			return w.score(tr.Config, tr.Task) + .15*rng.NormFloat64(), true
		})
		whole := slices.ContainsFunc(s.members[1:], s.whole)
		if whole {
			complete++
		}
		for _, f := range s.Recommend().Finalists {
			if m := s.byID[f.Variant]; whole && !s.whole(m) && m.gain <= s.luck(m) {
				t.Errorf("seed %d: a finalist has a gain of %+.3f ± %.3f on %v of 80 cases", seed, m.gain, m.deviation, f.Common)
			}
		}
	}
	if complete < 12 {
		t.Errorf("%d of 20 searches evaluated a variant on all cases", complete)
	}
}

// TestFewCasesFarAhead checks that a variant that is far ahead on ten cases, because it
// was found when few evaluations were left, is recommended before a variant that is
// slightly ahead on all cases. A variant whose lead may be luck is not recommended before
// it.
func TestFewCasesFarAhead(t *testing.T) {
	t.Parallel()
	w := newWorld(40, 4)
	s := start(t, w.options(1000, 1))
	rng := rand.New(rand.NewPCG(1, 7))
	tell := func(text string, cases int, score func() float64) *member {
		tr := mutate.Trial{Config: agent.Config{"block": text}, Operator: "nudge", Parents: []agent.ConfigID{s.Champion.ID()}}
		if text == "" {
			tr = mutate.Trial{Config: s.Champion, Operator: "champion"}
		}
		tr.Variant = tr.Config.ID()
		for _, at := range s.order[:cases] {
			tr.Task = s.Tasks[at].ID
			s.Tell(mutate.Observation{Trial: tr, Scored: true, Score: score()})
		}
		return s.byID[tr.Variant]
	}
	tell("", 40, func() float64 { return .4 })
	whole := tell("1", 40, func() float64 { return .42 })
	whole.stages = len(s.Stages)
	far := tell("2", 10, func() float64 { return .8 + .02*rng.NormFloat64() })
	lucky := tell("3", 10, func() float64 { return .5 + .2*rng.NormFloat64() })
	for i := range 300 {
		tell(fmt.Sprint("9 ", i), 10, func() float64 { return .4 + .2*rng.NormFloat64() })
	}
	rec := s.Recommend()
	var got []agent.ConfigID
	for _, f := range rec.Finalists {
		got = append(got, f.Variant)
	}
	if diff := cmp.Diff([]agent.ConfigID{far.id, whole.id}, got); diff != "" || lucky.gain < whole.gain {
		t.Errorf("finalists (gain of the lucky one %+.3f):\n%s", lucky.gain, diff)
	}
}

func TestProgramsOfEqualNormalFormArePaidOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(20, 2)
	o := w.options(2000, 2)
	o.Normal = func(c agent.Config) string { // the whole parts
		var b strings.Builder
		for _, v := range read(c) {
			fmt.Fprintf(&b, "%.0f ", v)
		}
		return b.String()
	}
	paid := map[string]agent.ConfigID{}
	for _, tr := range drive(t, start(t, o), 4, func(tr mutate.Trial) (float64, bool) { return w.score(tr.Config, tr.Task), true }) {
		normal := o.Normal(tr.Config)
		if id, known := paid[normal]; known && id != tr.Variant {
			t.Fatalf("%q was paid for two variants", normal)
		}
		paid[normal] = tr.Variant
	}
}

// constant returns the parent, so it never makes anything new.
type constant struct{}

func (constant) Name() string { return "constant" }

func (constant) Make(s operator.FailureContext, _ *rand.Rand) (operator.Child, bool) {
	return operator.Child{Config: s.Parent.Clone()}, true
}

func TestSearchEndsWhenNothingIsNew(t *testing.T) {
	t.Parallel()
	w := newWorld(30, 2)
	o := w.options(1000, 2)
	o.Operators = []operator.Operator{constant{}}
	s := start(t, o)
	trials := drive(t, s, 4, func(mutate.Trial) (float64, bool) { return .5, true })
	if rec := s.Recommend(); !rec.Exhausted || len(trials) != 10 || rec.Best.Variant != o.Champion.ID() {
		t.Errorf("%d trials, %+v; want the first stage of the champion alone", len(trials), rec)
	}
}

// TestHistoryIsThePopulation checks that the population of earlier nights is continued.
func TestHistoryIsThePopulation(t *testing.T) {
	t.Parallel()
	w := newWorld(60, 7)
	score := func(tr mutate.Trial) (float64, bool) { return w.score(tr.Config, tr.Task), true }
	first := start(t, w.options(3000, 1))
	history := remember(drive(t, first, 4, score), w)
	was := w.truth(first.Recommend().Best.Config)
	for night := range int64(4) {
		o := w.options(1500, 2+night)
		o.History = history
		s := start(t, o)
		history = append(history, remember(drive(t, s, 4, score), w)...)
		now := w.truth(s.Recommend().Best.Config)
		if now < was-.01 {
			t.Errorf("night %d: the best fell from %.3f to %.3f", night, was, now)
		}
		was = max(was, now)
	}
	alone := start(t, w.options(1500, 2))
	drive(t, alone, 4, score)
	if v := w.truth(alone.Recommend().Best.Config); was <= v {
		t.Errorf("with the history %.3f, without it %.3f", was, v)
	}
}

// TestFewRememberedResults checks that a variant that was far better on three cases when
// its night ended is run again by a small night that begins with other cases.
func TestFewRememberedResults(t *testing.T) {
	t.Parallel()
	w := newWorld(60, 7)
	good := agent.Config{"block": write(w.want)}
	for seed := range int64(10) {
		o := w.options(120, seed)
		for _, at := range start(t, o).order[10:13] {
			task := o.Tasks[at].ID
			for _, c := range []agent.Config{o.Champion, good} {
				o.History = append(o.History, mutate.Remembered{Variant: c.ID(), Config: c, Task: task, Score: w.score(c, task), Trust: .8})
			}
		}
		trials := drive(t, start(t, o), 4, func(tr mutate.Trial) (float64, bool) { return w.score(tr.Config, tr.Task), true })
		if !slices.ContainsFunc(trials, func(tr mutate.Trial) bool { return tr.Variant == good.ID() }) {
			t.Errorf("seed %d: it is not run in %d evaluations", seed, len(trials))
		}
	}
}

// remember returns trials as evaluations of an earlier night.
func remember(trials []mutate.Trial, w *world) []mutate.Remembered {
	var out []mutate.Remembered
	for _, tr := range trials {
		out = append(out, mutate.Remembered{Variant: tr.Variant, Config: tr.Config, Task: tr.Task, Score: w.score(tr.Config, tr.Task), Trust: .9})
	}
	return out
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(3, 1)
	for name, change := range map[string]func(*Options){
		"no cases":     func(o *Options) { o.Tasks = nil },
		"no budget":    func(o *Options) { o.Budget = 0 },
		"no operators": func(o *Options) { o.Operators = nil },
		"selection":    func(o *Options) { o.Selection = "best" },
	} {
		o := w.options(10, 1)
		change(&o)
		if _, err := New(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func BenchmarkAsk(b *testing.B) {
	w := newWorld(200, 1)
	s := start(b, w.options(math.MaxInt32, 1))
	for b.Loop() {
		tr, _ := s.Ask()
		s.Tell(mutate.Observation{Trial: tr, Scored: true, Score: w.score(tr.Config, tr.Task)})
	}
}

// TestParentsBehaveDifferently checks that of variants that behave alike only the smallest
// is a parent, and that no variant that behaves like the champion is one.
func TestParentsBehaveDifferently(t *testing.T) {
	t.Parallel()
	w := newWorld(20, 3)
	o := w.options(1, 1)
	s := start(t, o)
	texts := []string{"1.00 0.00 0.00 0.00 0.00 0.00", "1.00 0.00 0.00 0.00 0.00 0.00   ", "0.00 0.00 0.00 0.00 0.00 0.00 ", "2.00 0.00 0.00 0.00 0.00 0.00"}
	for i, text := range append([]string{o.Champion.String("block")}, texts...) {
		c := agent.Config{"block": text}
		tr := mutate.Trial{Variant: c.ID(), Config: c, Parents: []agent.ConfigID{o.Champion.ID()}, Operator: "nudge", Generation: 1}
		if i == 0 {
			tr = mutate.Trial{Variant: c.ID(), Config: c, Operator: "champion"}
		}
		for _, task := range o.Tasks {
			tr.Task = task.ID
			s.Tell(mutate.Observation{Trial: tr, Scored: true, Score: w.score(c, task.ID)})
		}
	}
	s.refresh()
	var all island
	all.members = s.members[1:]
	pool, list := s.candidates(&all)
	var got []string
	for _, m := range pool {
		got = append(got, m.config.String("block"))
	}
	want := []string{o.Champion.String("block"), texts[3], texts[0]}
	slices.Sort(got[1:])
	slices.Sort(want[1:])
	if diff := cmp.Diff(want, got); diff != "" || len(list) != len(pool) {
		t.Errorf("parents:\n%s", diff)
	}
}
