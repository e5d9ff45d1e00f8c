package ablation

import (
	"math"
	"slices"

	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Posterior is the estimate of a difference between expected scores on the search tasks.
type Posterior struct {
	// Mean is the estimate, and Lo and Hi are the bounds of its 95 % interval, in score
	// units.
	Mean, Lo, Hi float64
	// Positive is the probability that the difference is above 0.
	Positive float64
	// Measured reports whether the difference was observed on every task, for a
	// deterministic agent.
	Measured bool
}

// shown reports whether a difference counts as shown. A difference that was observed on
// every task counts if the probability that it is positive for new tasks is at least .95.
// Any other difference counts if, according to the model, it is about as likely to be
// positive as not, even though most differences are exactly 0. This selects the median
// probability model, which predicts best of all selections (Barbieri and Berger 2004).
func (b Posterior) shown() bool {
	if b.Measured {
		return b.Positive >= shownMeasured
	}
	return b.Positive >= shownModel
}

const shownMeasured, shownModel = .95, .45

// posteriors holds the estimated differences between a config and others, and the posterior
// draws of these differences, in score units.
type posteriors struct {
	list  []Posterior
	draws [][]float64
}

// differences estimates how much better a choice is than each of the options, which revert
// more units than it does.
func (a *Ablation) differences(c choice, than []option) posteriors {
	out := posteriors{list: make([]Posterior, len(than)), draws: make([][]float64, draws)}
	for n := range out.draws {
		out.draws[n] = make([]float64, len(than))
	}
	if len(than) == 0 {
		return out
	}
	configs := make([]agent.Config, 0, len(than)+len(a.landmarks))
	rows := make([][]float64, 0, cap(configs)) // rows[i] marks the options that configs[i] reverts
	for i, o := range than {
		row := make([]float64, len(than))
		row[i] = 1
		configs, rows = append(configs, o.config), append(rows, row)
	}
	// Configs that revert more than one option are evidence on the sum of the options'
	// effects.
	for _, m := range a.landmarks {
		if row, ok := m.beside(c, than); ok {
			configs, rows = append(configs, m.config), append(rows, row)
		}
	}
	// The joint effect of several options is the sum of their single effects plus, in some
	// cases, an interaction, which is not evidence about the single effects.
	together := len(rows) - len(than)
	for i := range rows {
		rows[i] = append(rows[i], make([]float64, together)...)
		if i >= len(than) {
			rows[i][i] = 1
		}
	}
	var l likelihood
	slope := leastSlope
	if contrast, ok := a.model.Contrast(c.config, configs); ok {
		l, slope = evidenceOf(contrast).additive(rows), math.Max(leastSlope, contrast.Slope)
	} else {
		l = newLikelihood(len(rows))
	}
	drawn := l.draw(len(than))
	values := make([]float64, draws)
	for i, o := range than {
		b, known := Posterior{Measured: true}, o.id == c.id
		if !known && a.exact {
			b, known = a.measured(c.id, o.id)
		}
		for n := range values {
			values[n] = slope * drawn[n][i]
			if known {
				values[n] = b.Mean
			}
			out.draws[n][i] = values[n]
		}
		if !known {
			b = summary(values)
		}
		out.list[i] = b
	}
	return out
}

// leastSlope is the lower bound of a contrast's slope, for use if scores do not differ.
const leastSlope = .01

// landmark is a config between champion and winner that has known evaluations.
type landmark struct {
	back   set
	config agent.Config
}

// beside returns which options a landmark reverts in addition to a choice. It returns false
// if the landmark reverts anything else, or reverts only one option.
func (m landmark) beside(c choice, than []option) ([]float64, bool) {
	row := make([]float64, len(than))
	n, covered := 0, len(c.back)
	for i := range c.back {
		if !m.back[i] {
			return nil, false
		}
	}
	for i, o := range than {
		if len(o.units) == 1 && m.back[o.units[0]] {
			row[i] = 1
			n++
			covered++
		}
	}
	return row, n > 1 && covered == len(m.back)
}

// summary summarizes draws as their mean, their 95 % interval and the share that is
// positive.
func summary(values []float64) Posterior {
	values = slices.Clone(values)
	slices.Sort(values)
	b := Posterior{Lo: values[len(values)/40], Hi: values[len(values)-1-len(values)/40]}
	for _, v := range values {
		b.Mean += v / float64(len(values))
		if v > 0 {
			b.Positive += 1 / float64(len(values))
		}
	}
	return b
}

// measured compares two configs of a deterministic agent. It returns false unless both have
// an evaluation at every spot.
func (a *Ablation) measured(id, than agent.ConfigID) (b Posterior, ok bool) {
	for _, at := range a.spots {
		if !a.evidence.has(id, at) || !a.evidence.has(than, at) {
			return Posterior{}, false
		}
	}
	pairs := a.evidence.pairs(than, id, a.spots)
	return posteriorOf(pairs), len(pairs) > 0
}

// posteriorOf estimates the difference between two configs of a deterministic agent from
// pairs of scores.
func posteriorOf(pairs []stats.Pair) Posterior {
	c, one := stats.Compare(pairs, twoSided), stats.Compare(pairs, oneSD)
	b := Posterior{Mean: c.Difference, Lo: c.Lo, Hi: c.Hi, Measured: true}
	switch sd := (one.Hi - one.Lo) / 2; {
	case sd > rounding:
		b.Positive = .5 * math.Erfc(-c.Difference/sd/math.Sqrt2)
	case c.Difference > rounding:
		b.Positive = 1
	case c.Difference > -rounding:
		b.Positive = .5
	}
	return b
}

const (
	twoSided = .95
	// oneSD is the level of an interval that extends one standard deviation to either side.
	oneSD = .6827
	// rounding is the tolerance for rounding errors in sums of decimal scores.
	rounding = 1e-9
)
