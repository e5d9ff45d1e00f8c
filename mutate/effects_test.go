package mutate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"evolve/bench"
	"evolve/runtime/agent"
)

// tellScores tells a searcher foreign results of variants named by p0.
func tellScores(s *search, p0 float64, tasks []int, score func(task int) float64) agent.ConfigID {
	config := s.space.Default()
	config["p0"] = p0
	for _, j := range tasks {
		a := s.byID[config.ID()]
		repeat := 0
		if a != nil {
			repeat = int(a.repeats[j])
		}
		s.Tell(Observation{Scored: true, Score: score(j), Trial: Trial{
			Variant: config.ID(), Config: config, Operator: "perturb", Task: s.tasks[j].ID, Repeat: repeat, Stage: bench.StageSearch,
		}})
	}
	return config.ID()
}

// everyTask is the tasks of the small problem.
func everyTask() []int {
	list := make([]int, 12)
	for j := range list {
		list[j] = j
	}
	return list
}

// Variants that saw different tasks are told apart by what they add, not by the
// tasks they happened to get.
func TestEffectsAreComparableAcrossTasks(t *testing.T) {
	s := newSearch(t, options(2000))
	rng := rand.New(rand.NewPCG(3, 3))
	easy := func(j int) float64 { return 0.3 + 0.4*float64(j)/11 }
	add := func(p float64) float64 { return 0.3 * (p - 0.5) }
	want := map[agent.ConfigID]float64{}
	for i := range 21 {
		p := float64(i) / 20
		if p == 0.5 {
			continue // the champion's own
		}
		half := []int{}
		for range 40 { // one end of the suite for each
			half = append(half, (i%2)*6+rng.IntN(6))
		}
		want[tellScores(s, p, half, func(j int) float64 { return easy(j) + add(p) + 0.05*rng.NormFloat64() })] = add(p)
	}
	tellScores(s, 0.5, everyTask(), easy)
	s.fit()
	for id, effect := range want {
		if a := s.byID[id]; math.Abs(a.mean-effect) > 0.05 {
			t.Errorf("effect %.3f ± %.3f, truth %.3f", a.mean, math.Sqrt(a.variance), effect)
		}
	}
	if math.Abs(s.level-0.5) > 0.05 {
		t.Errorf("the champion's level is %.3f, truth .500", s.level)
	}
	if s.champion.mean != 0 {
		t.Errorf("the champion's effect is %v", s.champion.mean)
	}
}

func TestPosteriorIsTheConjugateRule(t *testing.T) {
	s := newSearch(t, options(100))
	a := s.champion
	m, v := a.mean, a.variance
	for _, score := range []float64{1, 0, 1} {
		s.observe(a, 0, score)
		precision := 1/v + 1/s.noise
		m, v = (m/v+(score-0.5)/s.noise)/precision, 1/precision
		if math.Abs(a.mean-m) > 1e-12 || math.Abs(a.variance-v) > 1e-12 {
			t.Fatalf("%v ± %v, want %v ± %v", a.mean, a.variance, m, v)
		}
	}
}

func TestRecommendNeedsEvidence(t *testing.T) {
	flat := func(x float64) func(int) float64 { return func(int) float64 { return x } }
	for name, c := range map[string]struct {
		champion, other func(int) float64
		tasks           []int // of the other
		want            bool  // the other is recommended
	}{
		"clearly better":           {flat(0.3), flat(0.8), everyTask(), true},
		"equal":                    {flat(0.5), flat(0.5), everyTask(), false},
		"worse":                    {flat(0.8), flat(0.3), everyTask(), false},
		"never any success":        {flat(0), flat(0), everyTask(), false},
		"both perfect":             {flat(1), flat(1), everyTask(), false},
		"better only on easy ones": {func(j int) float64 { return float64(j) / 11 }, func(j int) float64 { return float64(j) / 11 }, []int{9, 10, 11, 9, 10, 11}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSearch(t, options(500))
			for range 2 {
				tellScores(s, 0.5, everyTask(), c.champion)
				tellScores(s, 0.9, c.tasks, c.other)
			}
			s.fit()
			rec := s.Recommend()
			if got := rec.Best.Variant != rec.Champion.Variant; got != c.want {
				t.Errorf("recommended %s: %v (%+v)", rec.Best.Variant.Short(), rec.Reasons, rec.Finalists)
			}
			if strings.Contains(fmt.Sprint(rec.Reasons), "NaN") {
				t.Error(rec.Reasons)
			}
		})
	}
}

// A variant that fails everywhere is never the best or a finalist, even where the
// additive model flatters it: on tasks that others fail as well, against a champion
// that failed where others pass.
func TestFailureNeverWins(t *testing.T) {
	s := newSearch(t, options(500))
	tellScores(s, 0.5, []int{0, 1, 2, 3}, func(int) float64 { return 0 }) // the champion
	for i := range 6 {
		tellScores(s, float64(i)/20, everyTask(), func(j int) float64 {
			if j < 4 {
				return 1
			}
			return 0
		})
	}
	failure := tellScores(s, 0.9, []int{4, 5, 6, 7, 8, 9, 10, 11}, func(int) float64 { return 0 })
	s.fit()
	rec := s.Recommend()
	for _, e := range append(rec.Finalists, rec.Best) {
		if e.Variant == failure {
			t.Errorf("a variant without any success was put forward: %+v", rec)
		}
	}
}

func TestIntervalsCover(t *testing.T) {
	covered, all := 0, 0
	for seed := range int64(12) {
		p := families["noisy pass/fail"](rand.New(rand.NewPCG(uint64(seed), 8)))
		s := newSearch(t, Options{Space: p.space, Champion: p.space.Default(), Tasks: p.tasks, Budget: 800, Seed: seed})
		c := &script{inFlight: 8, seed: uint64(seed), score: func(tr Trial, rng *rand.Rand) (float64, bool) {
			return p.score(tr.Config, s.taskIndex[tr.Task], rng), true
		}}
		c.run(t, s)
		for _, a := range s.arms {
			if a.scored < 10 {
				continue
			}
			e := s.estimate(a)
			if truth := p.truth(a.config); e.Lo <= truth && truth <= e.Hi {
				covered++
			}
			all++
		}
	}
	if share := float64(covered) / float64(all); share < 0.8 {
		t.Errorf("95 %% intervals of well-tried variants cover the truth in %.3f of %d cases", share, all)
	} else {
		t.Logf("coverage %.3f of %d", share, all)
	}
}
