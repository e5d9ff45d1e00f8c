package ablation

import (
	"cmp"
	"slices"

	"evolve/mutate"
	"evolve/runtime/agent"
)

// For a deterministic agent, an evaluation gives the exact score on a task. A smaller
// config is tried on one task after another, beginning with the tasks most likely to show a
// loss. It is rejected as soon as it has lost more than the maximum loss of all reverted
// changes together. A task on which the winner scores 0 cannot show a loss. The model
// determines the order of the changes: those that it considers to have no effect are tried
// first, together, and if the group loses too much, it is halved (delta debugging, Zeller
// and Hildebrandt 2002). The others follow one by one.

const (
	// slightMeasured is the fraction of the gain that may be lost if the loss is known
	// exactly. Whatever the gain, a loss of one whole task is allowed.
	slightMeasured = .05
	// mostMeasured is the maximum fraction of the gain that may be lost by reverting
	// changes whose effect was observed on every task but is not considered proven.
	mostMeasured = .1
	// firstTasks is the number of tasks on which a smaller config is tried in the first
	// step. Each further step doubles the number of tasks tried.
	firstTasks = 4
	// leastWalk is the minimum budget for a walk, in evaluations. Each smaller config may
	// use this number of evaluations even if tryShare allows fewer.
	leastWalk = 8
	// tryShare is the maximum fraction of the budget that trying one config may use.
	tryShare = .25
)

// walk is one pass over all evidence from the beginning, so that its result depends only on
// the evidence. It ends when it needs further evaluations, or when all reductions have been
// tried.
type walk struct {
	*Ablation
	ground ground
	best   choice
	order  []int // units, beginning with those least likely to help
	// tried holds the units that could not be reverted, with the observed effect of each.
	// They lost too much alone or together with other units of their parameter.
	tried map[int]seenEffect
	// left is the number of evaluations that remain. reserve is the number of them that
	// only the last check may use.
	left, reserve int
	// need holds the trials to ask for next.
	need []mutate.Trial
}

// walk makes one pass over the evidence as far as it reaches, and sets the choice. It
// returns the trials to ask for next, or nil if there are none.
func (a *Ablation) walk(left int) []mutate.Trial {
	a.seenEffects, a.cut = nil, false
	if a.budget < leastWalk {
		a.choice = a.model0
		return nil
	}
	if trials := a.lacking(a.base, a.ends()); len(trials) > 0 {
		return trials[:min(left, len(trials))]
	}
	g := a.newGround()
	if g.total == 0 {
		a.choice = a.model0
		return nil
	}
	w := &walk{Ablation: a, ground: g, order: a.all(), tried: map[int]seenEffect{}, left: left}
	w.reserve = min(len(g.tasks), a.budget/2)
	slices.SortStableFunc(w.order, func(i, j int) int { return cmp.Compare(a.model0.chances[i], a.model0.chances[j]) })
	w.best = choice{back: set{}, config: a.winner, id: a.winnerID, loss: Posterior{Measured: true}, chances: a.model0.chances}
	w.best.gain = a.difference(a.winnerID, a.championID, g.spots)
	if !w.reduce() && w.need == nil {
		a.cut = !w.last()
	}
	w.best.loss = a.difference(a.winnerID, w.best.id, g.spots)
	a.choice, a.seenEffects = w.best, w.effectsOf()
	return w.need
}

// reduce tries all reductions. It returns false if it needs further evaluations.
func (w *walk) reduce() bool {
	var idle, others []int
	for _, i := range w.order {
		if w.model0.back[i] {
			idle = append(idle, i)
		} else {
			others = append(others, i)
		}
	}
	if !w.drop(idle) || !w.each(others) {
		return false
	}
	// A change that had to stay may become revertible once others have been reverted. The
	// loop ends when every remaining change has been tried against the same config.
	for before := -1; before != len(w.best.back); {
		before = len(w.best.back)
		if !w.parameters() || !w.each(w.kept()) {
			return false
		}
	}
	return w.effects() && w.pairs()
}

// last makes the last check: it reverts all units that were never tried, if together they
// lose no more than allowed. It then continues to reduce, and returns false if it needs
// further evaluations.
func (w *walk) last() bool {
	w.reserve = 0
	rest := slices.DeleteFunc(w.kept(), func(i int) bool { _, tried := w.tried[i]; return tried })
	return w.drop(rest) && w.reduce()
}

// kept returns the units that have not been reverted, in order.
func (w *walk) kept() []int {
	return slices.DeleteFunc(slices.Clone(w.order), func(i int) bool { return w.best.back[i] })
}

// drop reverts units together if possible. If that loses too much, it halves the group to
// find the units that can be reverted. It returns false if it needs further evaluations.
func (w *walk) drop(units []int) bool {
	units = slices.DeleteFunc(slices.Clone(units), func(i int) bool { return w.best.back[i] })
	if len(units) < 2 {
		return w.each(units)
	}
	went, known := w.try(units)
	if !known || went {
		return known
	}
	return w.drop(units[:len(units)/2]) && w.drop(units[len(units)/2:])
}

// each reverts units one by one, if possible. A list member that cannot be reverted alone,
// because of the bounds on its list, is reverted together with another member of the list.
func (w *walk) each(units []int) bool {
	for _, i := range units {
		if w.best.back[i] {
			continue
		}
		if _, ok := w.setBack(w.best.back.with(i)); ok {
			if _, known := w.try([]int{i}); !known {
				return false
			}
			continue
		}
		for _, j := range w.of(w.units[i].param) {
			if i == j || w.best.back[i] || w.best.back[j] {
				continue
			}
			if _, known := w.try([]int{i, j}); !known {
				return false
			}
		}
	}
	return true
}

// parameters goes through the parameters that have more than one remaining unit. For each
// of them, it reverts these units together if possible.
func (w *walk) parameters() bool {
	for k := range w.params {
		units := slices.DeleteFunc(w.of(k), func(i int) bool { return w.best.back[i] })
		if len(units) < 2 {
			continue
		}
		if _, known := w.try(units); !known {
			return false
		}
	}
	return true
}

// pairs tries to revert the remaining units in pairs, even though reverting either unit
// alone loses too much.
func (w *walk) pairs() bool {
	kept := w.kept()
	for n, i := range kept {
		for _, j := range kept[:n] {
			if w.best.back[i] || w.best.back[j] {
				continue
			}
			if _, known := w.try([]int{i, j}); !known {
				return false
			}
		}
	}
	return true
}

// effects completes the observations of the remaining parameters' effects, beginning with
// the smallest effects. This is needed because the trial of a config stops once too much is
// lost, although gains on other tasks may make up for the loss.
func (w *walk) effects() bool {
	if len(w.ground.tasks) < w.ground.whole {
		return true
	}
	seen := w.effectsOf()
	var params []int
	for k := range w.params {
		if e, ok := seen[k]; ok && (e.evaluations < len(w.ground.spots) || !e.shown()) {
			params = append(params, k)
		}
	}
	slices.SortStableFunc(params, func(i, j int) int { return cmp.Compare(seen[i].Mean, seen[j].Mean) })
	sides := []side{{w.best.id, w.best.config, w.best.back}}
	for _, k := range params {
		back := w.best.back.with(w.of(k)...)
		if config, ok := w.setBack(back); ok && config.ID() != w.championID {
			sides = append(sides, side{config.ID(), config, back})
		}
	}
	for _, s := range sides[:min(len(sides), len(params)+1)] {
		if len(params) == 0 {
			break
		}
		trials := w.lacking(w.ground.spots, []side{s})
		if len(trials) == 0 {
			continue
		}
		if n := min(w.left-w.reserve, len(trials)); n > 0 {
			w.need = trials[:n]
		}
		return false
	}
	return true
}

// try reverts units if the loss of all units reverted so far then stays within the bound;
// went reports whether it reverted them. If try needs further evaluations, known is
// false, and need is set as far as the budget permits.
func (w *walk) try(units []int) (went, known bool) {
	back := w.best.back.with(units...)
	config, ok := w.setBack(back)
	if !ok {
		return false, true
	}
	id := config.ID()
	s := side{id, config, back}
	loss, lack, seen := w.ground.loss(id, w.best.id)
	switch {
	case id == w.best.id:
	case id == w.championID || loss > w.ground.allowed+rounding && !w.unshown(id, loss):
		w.saw(units, id)
		return false, true
	case len(lack) > 0:
		n := min(max(firstTasks, seen), len(lack), w.left-w.reserve)
		if n > 0 {
			w.need = w.lacking(lack[:n], []side{s})
		}
		return false, false
	}
	w.best.back, w.best.config, w.best.id = back, config, id
	return true, true
}

// unshown reports whether the loss that a config adds was observed on every task, does
// not count as shown, and keeps the total loss at or below a fraction (mostMeasured) of
// the gain.
func (w *walk) unshown(id agent.ConfigID, loss float64) bool {
	if loss > mostMeasured*w.ground.gain+rounding {
		return false
	}
	for _, at := range w.ground.spots {
		if !w.evidence.has(id, at) || !w.evidence.has(w.best.id, at) {
			return false
		}
	}
	b := w.difference(w.best.id, id, w.ground.spots)
	return !b.shown()
}

// seenEffect is the observed effect of a change that could not be reverted.
type seenEffect struct {
	Posterior
	evaluations int
}

// saw records the loss of a config that lacks some units, if these units belong to one
// parameter.
func (w *walk) saw(units []int, id agent.ConfigID) {
	for _, i := range units {
		if w.units[i].param != w.units[units[0]].param {
			return
		}
	}
	e := seenEffect{w.difference(w.best.id, id, w.ground.spots), w.evidence.scored(id)}
	for _, i := range units {
		if was, ok := w.tried[i]; !ok || e.evaluations > 0 && e.Mean >= was.Mean {
			w.tried[i] = e
		}
	}
}

// effectsOf returns the observed effects of the remaining parameters. The effect of a
// parameter is the effect of its whole change, relative to the best config. If that
// effect was not observed, the parameter gets the effect of one of the parameter's units,
// observed while more units were present.
func (w *walk) effectsOf() map[int]seenEffect {
	out := map[int]seenEffect{}
	for k := range w.params {
		for _, i := range w.of(k) {
			if e, ok := w.tried[i]; ok && !w.best.back[i] && (out[k].evaluations == 0 || e.Mean > out[k].Mean) {
				out[k] = e
			}
		}
		config, ok := w.setBack(w.best.back.with(w.of(k)...))
		if n := w.evidence.scored(config.ID()); ok && n > 0 && out[k].evaluations > 0 && config.ID() != w.best.id {
			if b := w.difference(w.best.id, config.ID(), w.ground.spots); b.Mean > rounding {
				out[k] = seenEffect{b, n}
			}
		}
		if out[k].evaluations == 0 {
			delete(out, k)
		}
	}
	return out
}
