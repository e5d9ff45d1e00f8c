package problem

import "math"

// landscape computes the quality of a config: the terms of its parameters add up to skills,
// which meet the demands of tasks.
type landscape struct {
	terms []term
	// skills holds the weights over the terms, one row for each skill.
	skills [][]float64
	gates  []gate
	curve  curve
}

// term is the effect of one or a few parameters, standardised to mean 0 and standard
// deviation 1 over uniform configs. It is 0 if a parameter that it needs is inactive.
type term struct {
	raw         func(point) float64
	mean, scale float64
}

func (t term) value(at point) float64 { return (t.raw(at) - t.mean) / t.scale }

// gate is a region of configs in which the probability of success is multiplied by factor.
// It models, for example, a wrong key, a context that overflows or an endless loop.
type gate struct {
	in     func(point) bool
	factor float64
}

// curve is the probability of meeting one demand, as a function of skill minus threshold.
type curve func(float64) float64

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// ramp is 0 below −½, 1 above ½ and linear in between. Unlike a logistic link, it is flat
// far from the threshold.
func ramp(x float64) float64 { return clamp(x+0.5, 0, 1) }

// step is the curve of an agent without randomness.
func step(x float64) float64 {
	if x > 0 {
		return 1
	}
	return 0
}

// late is a complementary log-log link: it rises slowly from 0, and then quickly to 1.
func late(x float64) float64 { return -math.Expm1(-math.Exp(x)) }

// demand is a skill that a task needs, with its threshold.
type demand struct {
	skill     int
	threshold float64
}

// item is the complete definition of a task.
type item struct {
	Task
	// demands are the demands of the task, all of which must be met.
	demands []demand
	// quirks are this task's own weights over the terms.
	quirks []float64
	// guess is the probability of success without skill, and slip is the probability of
	// failure with full skill.
	guess, slip float64
}

// view holds the values of a config that determine its scores on tasks.
type view struct {
	terms  []float64
	skills []float64
	factor float64
}

func (l *landscape) view(at point) view {
	buffer := make([]float64, len(l.terms)+len(l.skills))
	v := view{terms: buffer[:len(l.terms)], skills: buffer[len(l.terms):], factor: 1}
	for t := range l.terms {
		v.terms[t] = l.terms[t].value(at)
	}
	for k, weights := range l.skills {
		v.skills[k] = dot(weights, v.terms)
	}
	for _, g := range l.gates {
		if g.in(at) {
			v.factor *= g.factor
		}
	}
	return v
}

func (l *landscape) chance(v view, it *item) float64 {
	own := dot(it.quirks, v.terms)
	met := 1.0
	for _, d := range it.demands {
		met *= l.curve(v.skills[d.skill] + own - d.threshold)
	}
	return v.factor * (it.guess + (1-it.guess-it.slip)*met)
}

func (l *landscape) expected(at point, it *item) float64 { return l.chance(l.view(at), it) }

// mean returns the weighted mean, over the tasks, of the expected scores.
func (l *landscape) mean(at point, tasks []item) float64 {
	v := l.view(at)
	sum, weight := 0.0, 0.0
	for i := range tasks {
		sum += tasks[i].Weight * l.chance(v, &tasks[i])
		weight += tasks[i].Weight
	}
	return sum / weight
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}
