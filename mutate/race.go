package mutate

import (
	"math"
	"slices"
)

// leaders is how many variants take part in the final race.
const leaders = 12

// race gives one evaluation to a leader by top-two Thompson sampling (Russo 2020):
// half the time to the best of one draw from the posteriors, otherwise to the best
// other one of a second draw. The champion always takes part.
func (s *search) race() *arm {
	if s.asked >= s.regroupAt {
		s.leading = best(s.leading[:0], s.arms, leaders, func(a *arm) bool {
			return a.scored > 0 && !a.baseline && s.open(a)
		})
		s.regroupAt = s.asked + leaders
	}
	pool := make([]*arm, 0, leaders+1)
	for _, a := range s.leading {
		if s.open(a) {
			pool = append(pool, a)
		}
	}
	if s.open(s.champion) && !slices.Contains(pool, s.champion) {
		pool = append(pool, s.champion)
	}
	if len(pool) == 0 {
		return nil
	}
	first := s.thompson(pool, nil)
	if len(pool) > 1 && s.rng.IntN(2) == 0 {
		return s.thompson(pool, first)
	}
	return first
}

// best appends the most worthy arms that qualify to dst, the best first. It is
// linear in the arms: they may be many.
func best(dst, arms []*arm, most int, qualifies func(*arm) bool) []*arm {
	for _, a := range arms {
		if !qualifies(a) || len(dst) == most && byWorth(a, dst[most-1]) > 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(dst, a, byWorth)
		if len(dst) == most {
			dst = dst[:most-1]
		}
		dst = slices.Insert(dst, at, a)
	}
	return dst
}

// thompson draws once from every posterior and returns the best but one. What is
// asked and not told yet counts as information to come.
func (s *search) thompson(pool []*arm, but *arm) *arm {
	var top *arm
	most := math.Inf(-1)
	for _, a := range pool {
		coming := float64(max(0, a.asked-a.told))
		sd := math.Sqrt(1 / (1/a.variance + coming/s.noise))
		if v := a.mean + sd*s.rng.NormFloat64(); a != but && v > most {
			top, most = a, v
		}
	}
	return top
}

// task picks the task of an arm's next evaluation: one it has seen least often,
// by weight .3 + .7·4p(1 − p), because tasks that every variant passes or fails
// tell nothing.
func (s *search) task(a *arm) int {
	pick, most := -1, math.Inf(-1)
	try := func(j int) {
		p := clamp(s.difficulty[j]+a.mean, 0.02, 0.98)
		// The largest of log(u)/w is a draw with probability proportional to w.
		if key := math.Log(1-s.rng.Float64()) / (0.3 + 0.7*4*p*(1-p)); key > most {
			pick, most = j, key
		}
	}
	// On large suites a handful of candidates does as well as all of them.
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
