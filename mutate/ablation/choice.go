package ablation

import (
	"math"

	"evolve/runtime/agent"
)

// The burden of proof is on the change: a unit is reverted unless its effect is shown.
// Units may be reverted together unless it is shown, with the probability proof, that
// their reversal costs more than the fraction slight of the gain. If changes can be
// detected together but are too small to be detected one by one, enough of them stay to
// carry the gain. Errors tend towards less change, because the confirmation measures the
// result on other tasks.
const (
	proof  = .65
	slight = .2
	// leastLoss is the smallest loss that matters, in score units.
	leastLoss = .01
)

// choice is the reduced winner according to the evidence so far.
type choice struct {
	back   set
	config agent.Config
	id     agent.ConfigID
	// loss is the estimated loss of the choice relative to the winner. gain is the
	// estimated gain of the winner over the champion.
	loss, gain Posterior
	// chances holds, for each unit, the probability that it helps: that the winner is
	// better with the unit than without it.
	chances map[int]float64
}

// decide reverts units, beginning with those least likely to help. After each reversal, the
// remaining units are assessed again, because a unit may be needed once its replacement is
// reverted.
func (a *Ablation) decide() {
	c := choice{back: set{}, config: a.winner, id: a.winnerID, chances: map[int]float64{}}
	first := a.options(c)
	whole := a.differences(c, first)
	for i, o := range first {
		for _, u := range o.units {
			c.chances[u] = whole.list[i].Positive
		}
	}
	every := set{}.with(a.all()...)
	c.gain = whole.sum(first, every)
	if b, ok := a.seen(a.winnerID, a.championID); ok {
		c.gain = b
	}
	allowed := math.Max(leastLoss, slight*c.gain.Mean)
	for {
		options := a.options(c)
		effects := a.differences(c, options)
		best := -1
		for i, o := range options {
			b := effects.list[i]
			if o.id == a.championID || b.shown() || best >= 0 && b.Positive >= effects.list[best].Positive {
				continue
			}
			if acceptable(whole.sums(first, c.back.with(o.units...)), allowed) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		o := options[best]
		c.back, c.config, c.id = c.back.with(o.units...), o.config, o.id
	}
	c.loss = whole.sum(first, c.back)
	a.choice = c
}

// acceptable reports whether the probability that a loss exceeds the allowed loss is less
// than the constant proof. loss holds posterior draws of the loss.
func acceptable(loss []float64, allowed float64) bool {
	over := 0
	for _, v := range loss {
		if v > allowed {
			over++
		}
	}
	return float64(over) < proof*float64(len(loss))
}

// seen returns the observed difference between two configs. It returns false if the agent
// is not deterministic or if the configs were not evaluated on all tasks.
func (a *Ablation) seen(id, than agent.ConfigID) (Posterior, bool) {
	if !a.exact {
		return Posterior{}, false
	}
	if id == than {
		return Posterior{Measured: true}, true
	}
	return a.measured(id, than)
}

// sums returns, for each posterior draw, the sum of the effects of the units in back.
func (b posteriors) sums(options []option, back set) []float64 {
	out := make([]float64, draws)
	done := set{}
	for i, o := range options {
		if !back[o.units[0]] || done[o.units[0]] {
			continue
		}
		for _, u := range o.units {
			done[u] = true
		}
		for n, row := range b.draws {
			out[n] += row[i]
		}
	}
	return out
}

func (b posteriors) sum(options []option, back set) Posterior { return summary(b.sums(options, back)) }

// option is a config that reverts more units than the choice does. units are the units that
// it reverts in addition.
type option struct {
	units  []int
	config agent.Config
	id     agent.ConfigID
}

// options returns all configs that are one step smaller than the choice: those without one
// more unit and, for a unit that cannot be reverted alone, those without it and another
// unit of the same parameter.
func (a *Ablation) options(c choice) []option {
	var out []option
	var stuck []int
	for i := range a.units {
		if c.back[i] {
			continue
		}
		config, ok := a.setBack(c.back.with(i))
		if !ok {
			stuck = append(stuck, i)
			continue
		}
		out = append(out, option{[]int{i}, config, config.ID()})
	}
	for _, i := range stuck {
		for j := range a.units {
			if j == i || c.back[j] || a.units[j].param != a.units[i].param {
				continue
			}
			if config, ok := a.setBack(c.back.with(i, j)); ok {
				out = append(out, option{[]int{i, j}, config, config.ID()})
			}
		}
	}
	return out
}
