package mutate

import (
	"math"

	"evolve/mutate/irt"
)

// raceDue reports whether the next evaluation goes to a leader: in the final race, and
// before the final race as long as the leaders have less than their share.
func (s *search) raceDue() bool {
	if s.finalRace() {
		return true
	}
	mine := float64(s.spent - s.baseline.asked)
	return s.posterior.ready() && len(s.design) == 0 && float64(s.raced) < leaderShare*(mine-float64(s.plan.design*s.plan.first))
}

// finalRace reports whether the budget before the final race is spent.
func (s *search) finalRace() bool {
	return float64(s.spent-s.baseline.asked) >= s.plan.search
}

const (
	// keepUp is the champion's minimum share of a rival's number of evaluations.
	keepUp = 0.7
	// rivalsInFinal is the number of leaders in the final race besides the champion. The
	// evidence against the champion has to come from few evaluations there.
	rivalsInFinal = 2
	// aloneEvery is the number of evaluations of the race of which one goes to the best
	// variant by its own results, in a small space.
	aloneEvery = 3
)

// race returns the variant that gets the next evaluation, by top-two Thompson sampling
// (Russo 2020) from the leaders' joint posterior: half the time the best of one draw,
// otherwise the best other one of a further draw. The champion always takes part.
func (s *search) race() *variantStats {
	s.refresh()
	b := &s.posterior
	if s.small() {
		if s.races++; s.races%aloneEvery == 0 {
			if a := s.bestAlone(); a != nil {
				return a
			}
		}
	}
	if b.joint == nil {
		return nil
	}
	first := s.thompson(-1)
	if first >= 0 && s.rng.IntN(2) == 0 {
		if second := s.thompson(first); second >= 0 {
			first = second
		}
	}
	if first < 0 {
		return nil
	}
	// The champion keeps up with its rivals, since a lead depends on both estimates.
	a := b.leaders[first]
	if s.open(s.champion) && float64(s.champion.asked) < keepUp*float64(a.asked) {
		return s.champion
	}
	return a
}

// thompson returns the best open leader other than but in a draw, of those that take part;
// −1 when there is none. Pending evaluations reduce the deviation in advance.
func (s *search) thompson(but int) int {
	b := &s.posterior
	final := s.finalRace()
	z := make([]float64, len(b.leaders))
	for i := range z {
		z[i] = s.rng.NormFloat64()
	}
	top, most := -1, math.Inf(-1)
	for i, a := range b.leaders {
		if final && i >= rivalsInFinal && a != s.champion {
			continue
		}
		d := 0.0
		for k := 0; k <= i; k++ {
			d += b.joint.At(i, k) * z[k]
		}
		if i == but || !s.open(a) {
			continue
		}
		coming := float64(a.asked - a.results)
		shrink := math.Sqrt(1 / (1 + coming*0.15*a.deviation*a.deviation))
		if v := a.ability + d*shrink; v > most {
			top, most = i, v
		}
	}
	return top
}

// shared is the factor by which tasks of the variant's mate are preferred.
const shared = 6

// mate returns the variant with which a variant shares tasks after its first evaluations, for
// paired comparisons: for a leader the champion, for the champion and for a random
// variant that the baseline evaluates again the first leader. It returns nil for all
// others.
func (s *search) mate(a *variantStats) *variantStats {
	switch {
	case a.baseline && len(s.posterior.leaders) > 0 && a.asked >= s.baseline.each(s.budget):
		return s.posterior.leaders[0]
	case a.baseline || a.asked < s.plan.first:
		return nil
	case a != s.champion:
		return s.champion
	case len(s.posterior.leaders) > 0 && s.posterior.leaders[0] != a:
		return s.posterior.leaders[0]
	}
	return nil
}

// task returns the task of a variant's next evaluation: one of those with the fewest
// repeats, drawn by weight .3 + .7·4p(1 − p), because tasks that every variant passes or
// fails are not informative.
func (s *search) task(a *variantStats) int {
	pick, most := -1, math.Inf(-1)
	mate := s.mate(a)
	try := func(j int) {
		p := irt.Sigmoid(a.ability + s.posterior.model.Effects[j])
		w := 0.3 + 0.7*4*p*(1-p)
		if mate != nil && mate.repeats[j] > a.repeats[j] && !mate.demonstrates(j) {
			w *= shared
		}
		// The largest of log(u)/w is a draw with probability proportional to w.
		if key := math.Log(1-s.rng.Float64()) / w; key > most {
			pick, most = j, key
		}
	}
	// On large suites a sample of the tasks suffices.
	const handful = 24
	if len(s.tasks) > 4*handful {
		for range 3 * handful {
			if j := s.rng.IntN(len(s.tasks)); int(a.repeats[j]) == a.fewest {
				try(j)
			}
		}
	}
	if pick < 0 {
		for j := range s.tasks {
			if int(a.repeats[j]) == a.fewest {
				try(j)
			}
		}
	}
	return pick
}
