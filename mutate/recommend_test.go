package mutate

import (
	"math"
	"testing"

	"evolve/bench"
	"evolve/runtime/agent"
)

// tellScores gives a searcher results that it did not ask for, for a variant identified by
// p0.
func tellScores(s *search, p0 float64, tasks []int, score func(task int) float64) agent.ConfigID {
	config := s.space.Default()
	config["p0"] = p0
	for _, j := range tasks {
		repeat := 0
		if a := s.byID[config.ID()]; a != nil {
			repeat = int(a.repeats[j])
		}
		s.Tell(Observation{Scored: true, Score: score(j), Trial: Trial{
			Variant: config.ID(), Config: config, Operator: "perturb", Task: s.tasks[j].ID, Repeat: repeat, Stage: bench.StageSearch,
		}})
	}
	return config.ID()
}

// everyTask returns the tasks of the small problem.
func everyTask() []int {
	list := make([]int, 12)
	for j := range list {
		list[j] = j
	}
	return list
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
			s := newSearch(t, smallOptions(500))
			for range 2 {
				tellScores(s, 0.5, everyTask(), c.champion)
				tellScores(s, 0.9, c.tasks, c.other)
			}
			s.fit(10)
			rec := s.Recommend()
			if got := rec.Best.Variant != rec.Champion.Variant; got != c.want {
				t.Errorf("recommended %s: %v (%+v)", rec.Best.Variant.Short(), rec.Reasons, rec.Finalists)
			}
		})
	}
}

// TestFailureNeverWins checks that a variant that fails everywhere is never the best or a
// finalist, even if the model overestimates it on tasks that other variants fail as well.
func TestFailureNeverWins(t *testing.T) {
	s := newSearch(t, smallOptions(500))
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
	s.fit(6)
	rec := s.Recommend()
	for _, e := range append(rec.Finalists, rec.Best) {
		if e.Variant == failure {
			t.Errorf("a variant without any success was put forward: %+v", rec)
		}
	}
}

// TestWhatWasSeenOnceIsCertain checks that if the search uses a single repeat, a config
// that was run on every task has a certain score and gain.
func TestWhatWasSeenOnceIsCertain(t *testing.T) {
	o := smallOptions(2000)
	o.MaxRepeats = 1
	o.BaselineShare = -1
	s := newSearch(t, o)
	other := tellScores(s, 0.9, everyTask(), func(j int) float64 { return float64(j % 3 / 2) })
	tellScores(s, 0.5, everyTask(), func(j int) float64 { return float64(j % 4 / 3) })
	s.fit(4)
	rec := s.Recommend()
	if e := rec.Champion; math.Abs(e.Score-0.25) > 1e-9 || e.Hi-e.Lo > 1e-9 {
		t.Errorf("the champion, 3 of 12: %.6f [%.6f, %.6f]", e.Score, e.Lo, e.Hi)
	}
	e := rec.Finalists[0]
	if e.Variant != other || math.Abs(e.Gain-1.0/12) > 1e-9 || e.SD > 1e-9 || rec.Best.Variant != other {
		t.Errorf("a variant with 4 of 12 against 3: %+v, recommended %s", e, rec.Best.Variant.Short())
	}
}

// TestIntervalsCover checks that the intervals of well-tried variants cover the truth at
// about the nominal rate.
func TestIntervalsCover(t *testing.T) {
	covered, all := 0, 0
	for seed := range int64(4) {
		w := newWorld(t, "drift", 40+seed)
		s := newSearch(t, w.options(300))
		c := &script{inFlight: 8, seed: uint64(seed), score: w.score}
		c.run(t, s)
		for _, a := range s.variants {
			if a.scored < 4 {
				continue
			}
			e := s.estimate(a, 0, 0)
			if truth := w.True(a.config); e.Lo <= truth && truth <= e.Hi {
				covered++
			}
			all++
		}
	}
	if share := float64(covered) / float64(all); share < 0.75 || all < 40 {
		t.Errorf("95 %% intervals cover the truth in %.3f of %d cases", share, all)
	} else {
		t.Logf("coverage %.3f of %d", share, all)
	}
}
