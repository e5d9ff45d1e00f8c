package mutate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"evolve/runtime/agent"
)

// lookBack runs a search with its random baseline and returns its hindsight. The second
// result is the estimate at the moment when the search had made as many evaluations as
// the baseline.
func lookBack(t testing.TB, w *world, budget int) (h Hindsight, then float64) {
	o := w.options(budget)
	o.BaselineShare = 0
	s := newSearch(t, o)
	var moments []Moment
	var said []float64
	c := &script{inFlight: 4, seed: uint64(w.seed), score: func(tr Trial, r *rand.Rand) (float64, bool) {
		if n := s.results; n > 0 && n%(budget/60) == 0 {
			rec := s.Recommend()
			moments, said = append(moments, rec.Moment()), append(said, rec.Best.Score)
		}
		return w.score(tr, r)
	}}
	rec := c.run(t, s)
	moments, said = append(moments, rec.Moment()), append(said, rec.Best.Score)
	h = s.Hindsight(moments)
	if h.Equal == nil || h.End == nil || len(h.Curve) != len(moments) {
		t.Fatalf("%d of %d moments were valued, equal %v, end %v", len(h.Curve), len(moments), h.Equal, h.End)
	}
	for i, m := range moments {
		if m.Evaluations-m.Random == h.Equal.SearchSpent {
			then = said[i]
		}
	}
	return h, then
}

// biases are the mean errors of the figures that a report shows. Each error is relative
// to the true score; the means are over searches in many worlds.
type biases struct {
	runs                                       int
	end, random, equal, difference, curve, was float64
	covered                                    int
}

func (b *biases) add(t testing.TB, w *world, budget int) {
	h, then := lookBack(t, w, budget)
	configs := map[agent.ConfigID]agent.Config{}
	for _, e := range []Estimate{h.Equal.Search, h.Equal.Random, h.End.Search, h.End.Random} {
		configs[e.Variant] = e.Config
	}
	truth := func(e Estimate) float64 { return w.True(configs[e.Variant]) }
	b.runs++
	b.end += h.End.Search.Score - truth(h.End.Search)
	b.random += h.End.Random.Score - truth(h.End.Random)
	b.equal += h.Equal.Search.Score - truth(h.Equal.Search)
	b.was += then - truth(h.Equal.Search)
	d := truth(h.Equal.Search) - truth(h.Equal.Random)
	b.difference += h.Equal.Difference - d
	b.curve += h.Curve[len(h.Curve)-1].Score - truth(h.End.Search)
	if h.Equal.Lo <= d && d <= h.Equal.Hi {
		b.covered++
	}
}

// figures returns the means, keyed by name.
func (b *biases) figures() map[string]float64 {
	n := float64(b.runs)
	return map[string]float64{
		"end": b.end / n, "random": b.random / n, "equal_spend": b.equal / n, "difference": b.difference / n, "curve_end": b.curve / n,
		"equal_spend_said_then": b.was / n, "covered": float64(b.covered) / n,
	}
}

var biasFamilies = []string{"noisy", "pairs", "text", "drift", "domains", "wide"}

// TestHindsightIsRightOnAverage checks that the figures that a report shows for the search
// and for random search are unbiased, although the variants were selected by the same
// evaluations. The benchmark measures this on more worlds.
func TestHindsightIsRightOnAverage(t *testing.T) {
	var b biases
	for i, family := range biasFamilies {
		for _, first := range []int64{60, 80, 100} {
			b.add(t, newWorld(t, family, first+int64(i)), 500)
		}
	}
	f := b.figures()
	t.Log(f)
	for _, name := range []string{"end", "random", "equal_spend", "difference", "curve_end"} {
		// Eighteen searches have a standard error of about .025.
		if math.Abs(f[name]) > 0.08 {
			t.Errorf("%s is off by %+.3f on average", name, f[name])
		}
	}
	if f["covered"] < 0.8 {
		t.Errorf("95 %% intervals of the difference cover the truth in %.2f", f["covered"])
	}
}

func BenchmarkHindsight(b *testing.B) {
	for budget, seeds := range map[int]int64{500: 10, 2000: 4} {
		b.Run(fmt.Sprint(budget), func(b *testing.B) {
			for b.Loop() {
				var all biases
				for _, family := range biasFamilies {
					for seed := range seeds {
						all.add(b, newWorld(b, family, 40+seed), budget)
					}
				}
				for name, x := range all.figures() {
					b.ReportMetric(x, name)
				}
			}
		})
	}
}

// TestChampionIsEstimatedByItself checks that the champion's estimate is not shrunk towards
// worse variants, however many there are, because the champion is not selected for its
// scores.
func TestChampionIsEstimatedByItself(t *testing.T) {
	s := newSearch(t, smallOptions(900))
	tellScores(s, 0.5, everyTask(), func(j int) float64 { return float64(min(j%4, 1)) }) // the champion passes 9 of 12
	for i := range 20 {
		tellScores(s, float64(i)/40, everyTask(), func(j int) float64 { return float64(j % 4 / 3) }) // 3 of 12
	}
	s.fit(8)
	if got := s.Recommend().Champion.Score; got < 0.7 || got > 0.8 {
		t.Errorf("a champion that passes 9 of 12 is estimated at %.3f among variants that pass 3", got)
	}
}

// TestHindsightKnowsBetter checks that the value of a recommendation that proved wrong is
// based on later data.
func TestHindsightKnowsBetter(t *testing.T) {
	s := newSearch(t, smallOptions(900))
	tellScores(s, 0.5, everyTask(), func(j int) float64 { return float64(j % 2) })
	lucky := tellScores(s, 0.9, []int{0, 1, 2, 3}, func(int) float64 { return 1 })
	s.fit(6)
	early := Moment{Evaluations: s.results, Best: lucky}
	said := s.estimate(s.byID[lucky], 0, 0).Score
	for range 4 {
		tellScores(s, 0.9, everyTask(), func(j int) float64 { return float64(j % 4 / 3) })
	}
	s.fit(6)
	h := s.Hindsight([]Moment{early, {Evaluations: s.results, Best: "unknown"}})
	if len(h.Curve) != 1 || h.Equal != nil || h.End != nil {
		t.Fatalf("without a baseline: %+v", h)
	}
	if got := h.Curve[0]; got.Score > 0.5 || said < 0.7 || got.Best != lucky {
		t.Errorf("said %.3f then; %+v now", said, got)
	}
}

// TestMatchCountsEachSide checks that a random recommendation counts only the baseline's
// own evaluations.
func TestMatchCountsEachSide(t *testing.T) {
	w := newWorld(t, "text", 7)
	h, _ := lookBack(t, w, 300)
	for name, m := range map[string]*Match{"equal": h.Equal, "end": h.End} {
		if m.RandomSpent != 30 || m.Lo > m.Difference || m.Difference > m.Hi ||
			math.Abs(m.Search.Score-m.Random.Score-m.Difference) > 1e-9 {
			t.Errorf("%s: %+v", name, m)
		}
	}
	if h.Equal.SearchSpent > 30 || h.Equal.SearchSpent < 20 || h.End.SearchSpent != 270 {
		t.Errorf("the search spent %d and %d", h.Equal.SearchSpent, h.End.SearchSpent)
	}
	for _, m := range h.Curve {
		if (m.RandomBest == "") != (m.Random == 0) {
			t.Errorf("%d evaluations of random search recommend %q", m.Random, m.RandomBest)
		}
	}
}

// TestDroppedTrialsAreNotCounted reports a third of a search's trials as dropped, which
// is how an interrupted night reports trials that are waiting for a free slot.
func TestDroppedTrialsAreNotCounted(t *testing.T) {
	o := newWorld(t, "text", 7).options(80)
	o.BaselineShare = 0
	s := newSearch(t, o)
	made := 0
	for n := 0; ; n++ {
		tr, status := s.Ask()
		if status != Ready {
			break
		}
		result := Observation{Trial: tr, Dropped: n%3 == 1}
		if !result.Dropped {
			result.Scored, result.Score = true, float64(n%5)/4
			made++
		}
		s.Tell(result)
	}
	h, told := s.Hindsight(nil), s.Recommend().Told
	if h.End == nil || told != made || h.End.SearchSpent+h.End.RandomSpent != made {
		t.Errorf("after %d evaluations the search counts %d: %+v", made, told, h.End)
	}
}

// found returns the number of needles that searches found, the number of their intervals
// that contain the true score, and the mean error of their estimates.
func found(t testing.TB, seeds int64) (needles, covered int, bias float64) {
	for seed := range seeds {
		w := newWorld(t, "needle", 900+seed)
		h, _ := lookBack(t, w, 1000)
		e := h.End.Search
		truth := w.True(e.Config)
		if truth-w.True(w.Default()) < .25 {
			continue // another config was recommended
		}
		needles++
		bias += e.Score - truth
		if e.Lo <= truth && truth <= e.Hi {
			covered++
		}
		t.Logf("seed %d: truth %.3f, estimate %.3f [%.3f, %.3f]", seed, truth, e.Score, e.Lo, e.Hi)
	}
	return needles, covered, bias / float64(needles)
}

// TestIntervalHoldsANeedle checks a search in which one of 125 configs is good, and only
// that config's own results show this. The interval of the config's score must contain
// the true score.
func TestIntervalHoldsANeedle(t *testing.T) {
	needles, covered, bias := found(t, 12)
	if needles < 9 || covered < needles-1 || math.Abs(bias) > .04 {
		t.Errorf("of %d needles %d are in their intervals, with a bias of %.3f", needles, covered, bias)
	}
}
