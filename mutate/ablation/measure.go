package ablation

import (
	"cmp"
	"slices"

	"evolve/runtime/agent"
)

// For an agent with randomness, the effect of each change is measured, not taken from the
// model, whose prior shrinks effects towards each other. The choice, the choice without
// each remaining change, and the winner are evaluated at the same spots, at which none of
// them was evaluated before. Earlier evaluations of the choice do not count, because the
// choice was selected by them, which would bias the comparison.

// fewestPairs is the minimum number of spots for a comparison of two configs.
const fewestPairs = 8

// leastPairs returns fewestPairs, or the number of tasks if that is lower.
func (a *Ablation) leastPairs() int { return min(fewestPairs, len(a.tasks)) }

// base is a choice that was measured, with the spots at which it was measured.
type base struct {
	choice
	spots []spot
}

// compared returns the configs to compare: the choice, the choice without each remaining
// parameter, beginning with the parameters least likely to help, and the winner.
func (a *Ablation) compared() []side {
	c := a.choice
	out := []side{{c.id, c.config, c.back}}
	for _, o := range a.singles() {
		out = append(out, side{o.id, o.config, c.back.with(o.units...)})
	}
	chance := func(s side) float64 {
		best := 0.
		for i := range s.back {
			if !c.back[i] {
				best = max(best, c.chances[i])
			}
		}
		return best
	}
	slices.SortStableFunc(out[1:], func(x, y side) int { return cmp.Compare(chance(x), chance(y)) })
	if c.id != a.winnerID {
		out = append(out, side{a.winnerID, a.winner, set{}})
	}
	return out
}

// measure queues evaluations of the compared configs at fresh spots. It uses half of the
// remaining budget, so that changes found not to help can be reverted and the rest
// measured again. If half of the budget is too little, measure uses all that remains.
func (a *Ablation) measure(left int) {
	sides := a.compared()
	if a.choice.id != a.winnerID && left/len(sides) < a.leastPairs() {
		sides = []side{sides[0], sides[len(sides)-1]} // the reduced config and the winner
	}
	for _, s := range sides {
		a.mark(s)
	}
	n := left
	if left/2/len(sides) >= a.leastPairs() {
		n = left / 2
	}
	i := slices.IndexFunc(a.bases, func(b base) bool { return b.id == a.choice.id })
	if i < 0 {
		i = len(a.bases)
		a.bases = append(a.bases, base{choice: a.choice})
	}
	for n > 1 {
		at := a.freshSpot()
		a.bases[i].spots = append(a.bases[i].spots, at)
		here := sides[:min(n, len(sides))]
		a.queue = append(a.queue, a.lacking([]spot{at}, here)...)
		n -= len(here)
	}
}

// freshSpot returns the next spot at which no config has been evaluated.
func (a *Ablation) freshSpot() spot {
	at := a.spots[a.first%len(a.spots)]
	at.repeat += freshRepeats + a.first/len(a.spots)
	a.first++
	return at
}

// singles returns one choice for each remaining parameter: the choice without that
// parameter's change.
func (a *Ablation) singles() []option {
	var out []option
	for k := range a.params {
		if gone, _ := a.gone(k); gone {
			continue
		}
		if config, ok := a.withoutParam(k); ok {
			out = append(out, option{a.of(k), config, config.ID()})
		}
	}
	return out
}

// beside returns how much higher the choice scored than another config at the spots at
// which both were measured, and the number of these spots. It returns false if there are
// too few such spots.
func (a *Ablation) beside(than agent.ConfigID) (b Posterior, pairs int, ok bool) {
	return a.between(a.choice.id, than)
}

// between does what beside does, but for the given choice, which may be any measured one,
// instead of the current choice.
func (a *Ablation) between(choice, than agent.ConfigID) (b Posterior, pairs int, ok bool) {
	i := slices.IndexFunc(a.bases, func(b base) bool { return b.id == choice })
	if i < 0 {
		return Posterior{}, 0, false
	}
	list := a.evidence.pairs(than, choice, a.bases[i].spots)
	for _, p := range list {
		pairs += len(p.A)
	}
	if pairs < a.leastPairs() {
		return Posterior{}, 0, false
	}
	return posteriorOf(list), pairs, true
}
