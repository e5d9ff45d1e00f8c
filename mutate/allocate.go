package mutate

import (
	"math"

	"evolve/mutate/irt"
)

// raceDue reports whether the next evaluation goes to a leader. That is so in the final
// race and, before it, as long as the leaders have received less than their share.
func (s *search) raceDue() bool {
	if s.finalRace() {
		return true
	}
	mine := float64(s.spent - s.baseline.asked)
	return s.posterior.ready() && len(s.design) == 0 && float64(s.raced) < leaderShare*(mine-float64(s.plan.design*s.plan.first))
}

// finalRace reports whether it is time for the final race, because the evaluations
// reserved for the time before it are used up.
func (s *search) finalRace() bool {
	return float64(s.spent-s.baseline.asked) >= s.plan.search
}

const (
	// keepUp is the minimum ratio of the champion's number of evaluations to a rival's.
	keepUp = 0.7
	// rivalsInFinal is the number of leaders, besides the champion, that take part in the
	// final race. It is small because the evidence against the champion must come from few
	// evaluations.
	rivalsInFinal = 2
	// aloneEvery applies to the race in a small space: one of every aloneEvery
	// evaluations goes to the variant that is best by its own results.
	aloneEvery = 3
)

// race returns the variant that gets the next evaluation. It uses top-two Thompson sampling
// (Russo 2020) on the leaders' joint posterior: half the time it returns the best variant
// in one draw, otherwise the best of the other variants in a further draw. The champion
// always takes part.
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
	// The champion must not fall far behind its rivals in the number of evaluations,
	// because a lead depends on both estimates.
	a := b.leaders[first]
	if s.open(s.champion) && float64(s.champion.asked) < keepUp*float64(a.asked) {
		return s.champion
	}
	return a
}

// thompson draws once from the joint posterior and returns the index of the best leader
// that is open and takes part, or −1 if there is none. It skips the leader with the given
// index (but). The deviation of a variant is reduced as if its pending evaluations had
// already arrived.
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

// shared is the factor by which the weight of a task is multiplied if the variant's mate
// has had the task more often than the variant.
const shared = 6

// mate returns the variant with which a variant shares tasks after its first evaluations,
// so that the two can be compared in pairs. For a leader, it is the champion. For the
// champion, and for a random variant that the baseline evaluates again, it is the first
// leader. For all others it is nil.
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

// task returns the task for a variant's next evaluation: one of the tasks with the fewest
// repeats, drawn with weight .3 + .7·4p(1 − p), because tasks that every variant passes or
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
		// Picking the largest log(u)/w is a draw with probability proportional to w.
		if key := math.Log(1-s.rng.Float64()) / w; key > most {
			pick, most = j, key
		}
	}
	// In large suites, a sample of the tasks suffices.
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
