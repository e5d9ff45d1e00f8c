package mutate

import (
	"math"
	"slices"
)

// The search believes in score = effect of the task + effect of the variant +
// noise, which makes variants comparable that saw different tasks. Every variant's
// effect has a normal prior: from the surrogate, or, before there is one, from its
// parents. Each score updates the posterior by the conjugate rule
//
//	v′ = 1/(1/v + 1/σ²),  m′ = m + (r − m)·v/(v + σ²),  r = score − task effect,
//
// and whenever the evaluations have grown by a twelfth everything is fitted anew:
// task effects and variant effects by turns (backfitting), the surrogate, and σ².
// The champion's effect is the zero of the scale.

// observation is one scored evaluation.
type observation struct {
	arm, task int32
	score     float32
}

const (
	// firstSpread is the prior variance of a variant around its parents.
	firstSpread = 0.02
	// taskSpread is the prior variance of task effects around their mean.
	taskSpread = 0.08
	// sweeps of task and variant effects by turns; they settle by a third or more
	// with each.
	sweeps = 8
	// trainable bounds the surrogate's points: its cost grows with their cube.
	trainable = 240
	// leastTrained is the number of variants from which the surrogate is used.
	leastTrained = 6
)

// prior is what is expected of a new arm.
func (s *search) prior(a *arm) (mean, variance float64) {
	if s.trained {
		mean, variance = s.model.predict(s.encoder.encode(a.config))
		return mean - s.shift, variance
	}
	n := 0.0
	for _, id := range a.parents {
		if p, ok := s.byID[id]; ok {
			mean += p.mean
			n++
		}
	}
	if n > 0 {
		return mean / n, firstSpread
	}
	return 0, 2 * firstSpread
}

// observe adds a score.
func (s *search) observe(a *arm, task int, score float64) {
	s.seen = append(s.seen, observation{int32(a.index), int32(task), float32(score)})
	r := score - s.difficulty[task]
	a.scored++
	a.score += score
	a.residual += r
	gain := a.variance / (a.variance + s.noise)
	a.mean += gain * (r - a.mean)
	a.variance *= 1 - gain
	if len(s.seen) >= s.refitAt {
		s.fit()
		s.refitAt = len(s.seen) + max(8, len(s.seen)/12)
	}
}

// fit finds task and variant effects and the noise from all evaluations.
func (s *search) fit() {
	s.fitTasks()
	points, arms := s.training()
	targets := func() []float64 {
		y := make([]float64, len(arms))
		for i, a := range arms {
			y[i] = a.residual / float64(a.scored)
		}
		return y
	}
	s.trained, s.shift = false, 0
	if len(arms) >= leastTrained && len(s.encoder) > 0 {
		noise := make([]float64, len(arms))
		for i, a := range arms {
			noise[i] = s.noise / float64(a.scored)
		}
		mean, variance := s.model.train(points, targets(), noise)
		s.trained = mean != nil
		for i := range mean {
			arms[i].mean, arms[i].variance = mean[i], variance[i]
		}
	}
	for range sweeps {
		if s.trained {
			for i, m := range s.model.retrain(targets()) {
				arms[i].mean = m
			}
		} else {
			s.fitArms()
		}
		s.fitTasks()
	}
	// Arms that the surrogate did not learn from keep what they were believed to be.
	s.anchor()
	s.fitNoise()
}

// fitTasks takes the task effects from what the variants leave over, and the
// variants' residuals from them.
func (s *search) fitTasks() {
	n := make([]float64, len(s.tasks))
	sum := make([]float64, len(s.tasks))
	total := 0.0
	for _, o := range s.seen {
		r := float64(o.score) - s.arms[o.arm].mean
		n[o.task]++
		sum[o.task] += r
		total += r
	}
	mean := total / float64(len(s.seen))
	strength := s.noise / taskSpread
	for j := range s.difficulty {
		s.difficulty[j] = (sum[j] + strength*mean) / (n[j] + strength)
	}
	for _, a := range s.arms {
		a.residual = 0
	}
	for _, o := range s.seen {
		s.arms[o.arm].residual += float64(o.score) - s.difficulty[o.task]
	}
}

// fitArms takes the variant effects from what the tasks leave over, without a
// surrogate.
func (s *search) fitArms() {
	for _, a := range s.arms { // parents come before their children
		m, v := s.prior(a)
		a.variance = 1 / (1/v + float64(a.scored)/s.noise)
		a.mean = a.variance * (m/v + a.residual/s.noise)
	}
}

// anchor makes the champion's effect the zero, and the suite's mean its level.
func (s *search) anchor() {
	s.shift = s.champion.mean
	for _, a := range s.arms {
		a.mean -= s.shift
		a.residual -= s.shift * float64(a.scored)
	}
	s.level = 0
	for j := range s.difficulty {
		s.difficulty[j] += s.shift
		s.level += s.weights[j] / s.weightSum * s.difficulty[j]
	}
}

// training chooses the arms that the surrogate learns from: all with a score, or the
// better half of the bound and an even spread of the rest.
func (s *search) training() ([]point, []*arm) {
	var list []*arm
	for _, a := range s.arms {
		if a.scored > 0 {
			list = append(list, a)
		}
	}
	if len(list) > trainable {
		slices.SortFunc(list, byWorth)
		rest := list[trainable/2:]
		for i := range trainable / 2 {
			list[trainable/2+i] = rest[i*len(rest)/(trainable/2)]
		}
		list = list[:trainable]
	}
	points := make([]point, len(list))
	for i, a := range list {
		points[i] = s.encoder.encode(a.config)
	}
	return points, list
}

// fitNoise estimates σ² from what the effects leave over.
func (s *search) fitNoise() {
	rest := 0.0
	for _, o := range s.seen {
		d := float64(o.score) - s.difficulty[o.task] - s.arms[o.arm].mean
		rest += d * d
	}
	n := float64(len(s.seen))
	used := 0.5*float64(min(len(s.arms), len(s.seen)/2)) + 0.5*float64(len(s.tasks))
	// Ten evaluations' worth of the prior guess, and never certainty.
	const guess, weight = 0.15, 10
	s.noise = clamp((rest+guess*weight)/(math.Max(n-used, 0.3*n)+weight), 1e-3, 0.25)
}

// worth is the posterior mean less half its standard deviation.
func (a *arm) worth() float64 { return a.mean - 0.5*math.Sqrt(a.variance) }

// byWorth orders the best first, ties by age.
func byWorth(a, b *arm) int {
	if d := b.worth() - a.worth(); d != 0 {
		return sign(d)
	}
	return a.index - b.index
}

func sign(d float64) int {
	if d < 0 {
		return -1
	}
	return 1
}

func clamp(x, lo, hi float64) float64 { return math.Min(hi, math.Max(lo, x)) }
