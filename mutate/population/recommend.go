package population

import (
	"fmt"
	"math"
	"slices"

	"evolve/mutate"
)

// caution is the number of standard deviations that are subtracted from a gain before
// variants are ranked.
const caution = .5

// normal95 is the 97.5 % quantile of the normal distribution.
const normal95 = 1.959964

// Recommend implements [mutate.Searcher]. The best variant is the one with the largest
// gain minus half its standard deviation, if that difference is above 0, and otherwise
// the champion. If some variants were evaluated on the cases of all stages, another
// variant counts only if its gain exceeds 0, and also exceeds the gains of these
// variants, by more than can be explained by luck on fewer cases. Finalists with equal
// scores count once in Options.Finalists; the smallest comes first.
func (s *search) Recommend() mutate.Recommendation {
	s.refresh()
	champion := s.members[0]
	rec := mutate.Recommendation{
		Champion: s.estimate(champion), Told: s.told, Exhausted: s.exhausted, Operators: s.bandit.Export(), Drafts: s.draftGains(),
	}
	ranked := s.ranked()
	complete := 0
	for _, m := range s.members {
		if m.results > 0 {
			rec.Variants++
		}
		if m.index > 0 && s.whole(m) {
			complete++
		}
	}
	bar := s.wholeBar()
	classes := map[string]bool{}
	for _, m := range ranked {
		if m.cautious() <= 0 || !s.whole(m) && s.beyondLuck(m) <= bar {
			continue
		}
		if classes[m.scored()] = true; len(classes) > s.Finalists {
			break
		}
		rec.Finalists = append(rec.Finalists, s.estimate(m))
	}
	rec.Best, rec.Rival = rec.Champion, s.rival(ranked)
	rec.Front = []mutate.Estimate{rec.Champion}
	tried := fmt.Sprintf("%d programs were tried, %d of them on %d cases", len(s.members)-1, complete, s.Stages[len(s.Stages)-1])
	if len(rec.Finalists) == 0 {
		rec.Reasons = []string{tried + "; none of them looks better than the champion"}
		return rec
	}
	rec.Best, rec.Compared = rec.Finalists[0], slices.Clone(rec.Finalists)
	rec.Front = append(rec.Front, rec.Best)
	rec.Reasons = []string{fmt.Sprintf("%s; the best has a gain of %+.3f ± %.3f over the champion", tried, rec.Best.Gain, rec.Best.SD)}
	return rec
}

// wholeBar considers the variants that were evaluated on the cases of all stages. It
// returns the largest of their cautious gains, or 0 if all of these are negative. If
// there are no such variants, it returns -Inf.
func (s *search) wholeBar() float64 {
	bar := math.Inf(-1)
	for _, m := range s.members[1:] {
		if s.whole(m) {
			bar = max(bar, 0, m.cautious())
		}
	}
	return bar
}

// beyondLuck returns the gain of a variant minus the gain that the luckiest of all variants
// would show by chance; see luck.
func (s *search) beyondLuck(m *member) float64 {
	if m.common == 0 {
		return math.Inf(-1)
	}
	return m.gain - s.luck(m)
}

// luck returns the gain that the luckiest of all variants would show by chance, given a
// variant's deviation: about √(2·ln N) standard deviations, the expected maximum of N normal
// deviates.
func (s *search) luck(m *member) float64 {
	return math.Sqrt(2*math.Log(float64(len(s.members)))) * m.deviation
}

// rival compares the variants that language models made with those that only operators
// made; it returns nil if either kind has no evaluations.
func (s *search) rival(ranked []*member) *mutate.Rival {
	out := &mutate.Rival{Evaluations: min(s.spent[0], s.spent[1])}
	if out.Evaluations == 0 {
		return nil
	}
	best := func(modelled bool) float64 {
		for _, m := range ranked {
			if m.modelled == modelled && m.since < out.Evaluations && m.cautious() > 0 {
				return m.gain
			}
		}
		return 0
	}
	out.Models, out.Operators = best(true), best(false)
	return out
}

// cautious returns the value by which variants are ranked. Variants without results from
// tonight come last, because nothing shows that they still run.
func (m *member) cautious() float64 {
	if m.common == 0 {
		return math.Inf(-1)
	}
	return m.gain - caution*m.deviation
}

// estimate returns the estimate of a variant's score over all search cases: the champion's
// mean plus the gain.
func (s *search) estimate(m *member) mutate.Estimate {
	champion := s.members[0]
	n, sum := champion.sums()
	level, error2 := .5, .25
	if n > 0 {
		level, error2 = sum/float64(n), 0
		for _, v := range champion.scores {
			if !math.IsNaN(v) {
				error2 += (v - level) * (v - level) / float64(n) / float64(n)
			}
		}
	}
	e := mutate.Estimate{
		Variant: m.id, Config: m.config, Gain: m.gain, SD: m.deviation, Luck: s.luck(m), Evaluations: m.results,
		Parents: m.parents, Operator: m.operator, Generation: m.generation, Rationale: m.rationale,
	}
	e.Score = min(max(level+m.gain, 0), 1)
	half := normal95 * math.Sqrt(error2+m.deviation*m.deviation)
	e.Lo, e.Hi = max(0, e.Score-half), min(1, e.Score+half)
	for i, v := range m.scores {
		if m != champion && !math.IsNaN(v) && !math.IsNaN(champion.scores[i]) {
			e.Measured += v - champion.scores[i]
			e.Common++
		}
	}
	if e.Common > 0 {
		e.Measured /= float64(e.Common)
	}
	if m.results > 0 && champion.results > 0 {
		e.CostUSD = ratio(m.cost/float64(m.results), champion.cost/float64(champion.results))
		e.Seconds = ratio(m.seconds/float64(max(1, m.timed)), champion.seconds/float64(max(1, champion.timed)))
	}
	return e
}

// ratio returns a/b, or 0, which means unknown, if b is not positive.
func ratio(a, b float64) float64 {
	if b <= 0 {
		return 0
	}
	return a / b
}

// Hindsight implements [mutate.Searcher]. There is no random baseline.
func (s *search) Hindsight(moments []mutate.Moment) mutate.Hindsight {
	s.refresh()
	var h mutate.Hindsight
	for _, m := range moments {
		if best, known := s.byID[m.Best]; known {
			m.RandomBest = ""
			h.Curve = append(h.Curve, mutate.Valued{Moment: m, Score: s.estimate(best).Score})
		}
	}
	return h
}
