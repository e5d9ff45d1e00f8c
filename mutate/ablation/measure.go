package ablation

import (
	"cmp"
	"slices"

	"evolve/runtime/agent"
)

// What each change does by itself is measured, for an agent with chance, not taken from the
// model, whose prior pulls effects together: the choice, the choice without each change that
// stays, and the winner are evaluated at the same spots, where none of them was before. What
// was seen before it was the choice has no part in the comparison, so that luck does not choose.

// fewestPairs is the least number of spots at which two configs are compared.
const fewestPairs = 8

// leastPairs is that, or the number of tasks where it is less.
func (a *Ablation) leastPairs() int { return min(fewestPairs, len(a.tasks)) }

// base is a choice that was compared with the configs beside it, and where.
type base struct {
	id    agent.ConfigID
	spots []spot
}

// arms are the choice, the choice without each parameter that stays, those first that least
// likely help, and the winner.
func (a *Ablation) arms() []side {
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

// measure asks for the arms at fresh spots: with half of what is left, so that what is found not
// to help can go and the rest be measured without it, or with all where half is too little.
func (a *Ablation) measure(left int) {
	arms := a.arms()
	for _, s := range arms {
		a.mark(s)
	}
	n := left
	if left/2/len(arms) >= a.leastPairs() {
		n = left / 2
	}
	i := slices.IndexFunc(a.bases, func(b base) bool { return b.id == a.choice.id })
	if i < 0 {
		i = len(a.bases)
		a.bases = append(a.bases, base{id: a.choice.id})
	}
	for n > 1 {
		at := a.freshSpot()
		a.bases[i].spots = append(a.bases[i].spots, at)
		here := arms[:min(n, len(arms))]
		a.queue = append(a.queue, a.lacking([]spot{at}, here)...)
		n -= len(here)
	}
}

// freshSpot is the next spot where nothing was tried.
func (a *Ablation) freshSpot() spot {
	at := a.spots[a.first%len(a.spots)]
	at.repeat += freshRepeats + a.first/len(a.spots)
	a.first++
	return at
}

// singles are the choice without each parameter that stays.
func (a *Ablation) singles() []option {
	var out []option
	for k := range a.params {
		if gone, _ := a.gone(k); gone {
			continue
		}
		if config, ok := a.setBack(a.choice.back.with(a.of(k)...)); ok && config.ID() != a.choice.id {
			out = append(out, option{a.of(k), config, config.ID()})
		}
	}
	return out
}

// beside is by how much the choice scored more than another config where both were measured, and
// at how many spots; false where that is too few.
func (a *Ablation) beside(than agent.ConfigID) (b Belief, pairs int, ok bool) {
	i := slices.IndexFunc(a.bases, func(b base) bool { return b.id == a.choice.id })
	if i < 0 {
		return Belief{}, 0, false
	}
	list := a.evidence.pairs(than, "", a.choice.id, a.bases[i].spots)
	for _, p := range list {
		pairs += len(p.A)
	}
	if pairs < a.leastPairs() {
		return Belief{}, 0, false
	}
	return beliefOf(list), pairs, true
}
