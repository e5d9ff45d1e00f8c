package ablation

import (
	"math"

	"evolve/runtime/agent"
)

// The burden of proof is on the change: a unit is reverted unless its effect is shown.
// The reverted units together must not be shown, with a probability of proof, to cost
// more than a part of the gain; so if changes are too small to detect one by one but not
// together, as many of them stay as carry the gain. Errors tend towards less change: the
// confirmation measures the result on other tasks.
const (
	proof  = .65
	slight = .2
	// leastLoss is the smallest loss that matters, in score units.
	leastLoss = .01
)

// choice is the reduced winner by the evidence so far.
type choice struct {
	back   set
	config agent.Config
	id     agent.ConfigID
	// loss relative to the winner, gain of the winner over the champion.
	loss, gain Posterior
	// chances are the probabilities that units help, relative to the winner without them.
	chances map[int]float64
}

// decide reverts units, those least likely to help first. After each, the rest is
// assessed again, because a unit may be needed once its replacement is reverted.
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

// acceptable reports whether a loss is not shown to exceed the allowed one.
func acceptable(loss []float64, allowed float64) bool {
	over := 0
	for _, v := range loss {
		if v > allowed {
			over++
		}
	}
	return float64(over) < proof*float64(len(loss))
}

// seen returns the comparison on all tasks, for a deterministic agent.
func (a *Ablation) seen(id, than agent.ConfigID) (Posterior, bool) {
	if !a.exact {
		return Posterior{}, false
	}
	if id == than {
		return Posterior{Measured: true}, true
	}
	return a.measured(id, than)
}

// sums returns the sum of the effects of units, by draw.
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

// option is a config with more units reverted.
type option struct {
	units  []int
	config agent.Config
	id     agent.ConfigID
}

// options returns all configs that are one step smaller: without one unit, or without two
// of a parameter where neither can be reverted alone.
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
