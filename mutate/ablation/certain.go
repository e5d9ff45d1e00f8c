package ablation

import (
	"cmp"
	"slices"

	"evolve/mutate"
	"evolve/runtime/agent"
)

// For an agent without chance an evaluation is the truth about its task. A smaller config
// is tried on the tasks one after the other, those first that most likely show a loss, and
// it is given up as soon as it has lost more than all that goes back may lose. A task where
// the winner scores 0 cannot show a loss. The model says in which order changes are tried:
// those that it takes to be idle together, with halving where the group loses too much
// (delta debugging, Zeller and Hildebrandt 2002), then the others one by one.

const (
	// slightMeasured is the part of the gain that may be lost where the loss is known. One
	// task may be lost at any gain.
	slightMeasured = .05
	// mostMeasured is the part that may be lost with changes whose effect was seen on every
	// task and is not shown.
	mostMeasured = .1
	// firstTasks is how many tasks a smaller config is tried on before it is looked at
	// again; then it is as many as it was tried on already.
	firstTasks = 4
	// leastWalk is the least number of evaluations that a smaller config is tried with.
	leastWalk = 8
	// tryShare is the part of the evaluations that one config may take at most.
	tryShare = .25
)

// walk is one pass over what was seen, from its beginning, so that it depends on nothing
// but the evidence: up to where it has to know more, or to its end.
type walk struct {
	*Ablation
	ground ground
	best   choice
	order  []int // units, those first that least likely help
	// tried are the units that were seen to lose too much, alone or with others of their
	// parameter, with what was seen.
	tried map[int]seenEffect
	// left is what may be spent; reserve of it is for the last check.
	left, reserve int
	// need is what has to be asked for next.
	need []mutate.Trial
}

// walk goes as far as what was seen leads, and makes it the choice. It returns what it
// has to ask for next; nil when it is at its end.
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
	w.best = choice{back: set{}, config: a.winner, id: a.winnerID, loss: Belief{Measured: true}, chances: a.model0.chances}
	w.best.gain = a.difference(a.winnerID, a.championID, g.spots)
	if !w.reduce() && w.need == nil {
		a.cut = !w.last()
	}
	w.best.loss = a.difference(a.winnerID, w.best.id, g.spots)
	a.choice, a.seenEffects = w.best, w.effectsOf()
	return w.need
}

// reduce tries all that is to be tried; false when it has to know more first.
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
	// What could not go beside others may go without them; at the end every change that
	// stays was tried beside the same config.
	for before := -1; before != len(w.best.back); {
		before = len(w.best.back)
		if !w.parameters() || !w.each(w.kept()) {
			return false
		}
	}
	return w.effects() && w.pairs()
}

// last sets back together what was never tried alone, when that loses no more than it
// may, and goes on as far as the evaluations last.
func (w *walk) last() bool {
	w.reserve = 0
	rest := slices.DeleteFunc(w.kept(), func(i int) bool { _, tried := w.tried[i]; return tried })
	return w.drop(rest) && w.reduce()
}

// kept lists the units that are left, in order.
func (w *walk) kept() []int {
	return slices.DeleteFunc(slices.Clone(w.order), func(i int) bool { return w.best.back[i] })
}

// drop sets units back together, or those of them that may go, by halving.
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

// each sets units back one by one, where they may go. One that cannot go alone, as the
// list that it is in would be too long or too short, goes with another of the list.
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

// parameters sets those back whole of which several pieces are left.
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

// pairs sets two back of which each alone loses too much.
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

// effects completes what is known of each parameter that stays, those first that seem to
// do least: so far the walk has seen no more than that too much is lost, and a gain
// elsewhere may make up for it.
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

// try sets units back when what was lost with all that went stays within the bound. It is
// not known when that needs evaluations, which are then wanted as far as they can be paid.
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

// unshown reports whether what a config lacks beside the best was seen on every task, and
// is neither shown to help nor too much of the gain.
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

// seenEffect is what was seen of a change that could not go.
type seenEffect struct {
	Belief
	evaluations int
}

// saw keeps what a config without some units of one parameter has lost.
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

// effectsOf gathers what was seen of the parameters that stay: of each without it beside
// the best, or what one of its pieces was seen to do beside more.
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
