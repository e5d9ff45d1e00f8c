package ablation

import (
	"slices"

	"evolve/bench"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// step determines the next trials. It is called only when no result is pending.
func (a *Ablation) step() {
	a.learn()
	left := a.budget - a.spent
	switch {
	case a.Changes() < 2, !a.exact && !a.byModel && a.budget < 2*a.leastPairs():
		a.end(a.Changes() > 1) // nothing can be measured
		return
	case a.exact:
		a.queue = a.exactly(left)
		a.done = len(a.queue) == 0
		return
	}
	if screen := a.screened() - a.spent; screen > 0 {
		a.deal(screen)
	}
	if len(a.queue) == 0 && left > 0 {
		a.measure(left)
	}
	if len(a.queue) == 0 {
		a.end(true)
	}
}

// screened returns how many evaluations the screening of dealt configs may use. This is
// half of the budget. If the other half is too small for measurements, it is the whole
// budget except the evaluations for the last comparison.
func (a *Ablation) screened() int {
	half := a.budget / 2
	if a.spent > half {
		return half // the measurements have begun
	}
	if (a.budget-half)/len(a.compared()) < a.leastPairs() {
		if a.byModel && a.budget < 2*a.leastPairs() {
			return a.budget
		}
		return a.budget - 2*max(a.leastPairs(), min(lastPairs, a.budget/4))
	}
	return half
}

func (a *Ablation) end(cut bool) {
	a.done, a.cut = true, cut
}

const (
	// mostRounds is the maximum number of screening rounds.
	mostRounds = 3
	// mostDealt is the maximum number of configs in a round. leastEach is the minimum
	// number of evaluations for each of them.
	mostDealt, leastEach = 16, 4
	// dealtParts is the number of parts into which the units are divided at random. For
	// each part, there is a config without that part. Such a config still has most of the
	// units, so units that depend on each other mostly stay together.
	dealtParts = 3
)

// deal queues evaluations of several configs on the same tasks and repeats, for an agent
// with randomness. Each config lacks a random part of the units that are not certain to
// matter, so every evaluation is evidence about every unit (a fractional factorial
// design).
func (a *Ablation) deal(left int) {
	n := left
	if rest := mostRounds - a.rounds; rest > 1 {
		n = max(left/rest, min(left, 2*len(a.units)))
	}
	a.rounds++
	var undecided []int
	for i := range a.units {
		if a.choice.chances[i] < sure {
			undecided = append(undecided, i)
		}
	}
	if len(undecided) == 0 {
		return
	}
	count := min(mostDealt, max(2, n/leastEach))
	var sides []side
	for try := 0; len(sides) < count && try < 4*mostDealt; try++ {
		order := a.rng.Perm(len(undecided))
		parts := min(dealtParts, len(order))
		for part := range parts {
			back := set{}
			for k := part; k < len(order); k += parts {
				back[undecided[order[k]]] = true
			}
			config, ok := a.setBack(back)
			if !ok {
				continue
			}
			id := config.ID()
			if id != a.championID && !slices.ContainsFunc(sides, func(s side) bool { return s.id == id }) {
				sides = append(sides, side{id, config, back})
			}
		}
	}
	if len(sides) == 0 {
		return
	}
	for _, s := range sides {
		a.mark(s)
	}
	for n >= len(sides) {
		a.queue = append(a.queue, a.lacking([]spot{a.freshSpot()}, sides)...)
		n -= len(sides)
	}
}

// mark adds a config to the landmarks.
func (a *Ablation) mark(s side) {
	if !slices.ContainsFunc(a.landmarks, func(m landmark) bool { return m.config.Equal(s.config) }) {
		a.landmarks = append(a.landmarks, landmark{s.back, s.config})
	}
}

// sure is the probability above which a unit needs no more evidence.
const sure = .98

// freshRepeats is the first repeat at fresh spots. It lies beyond the repeats by which the
// winner was selected.
const freshRepeats = 1 << 12

// side is a config in a comparison.
type side struct {
	id     agent.ConfigID
	config agent.Config
	back   set
}

// lacking returns trials for the given configs at those spots where they have not been
// evaluated yet.
func (a *Ablation) lacking(spots []spot, sides []side) []mutate.Trial {
	var out []mutate.Trial
	for _, at := range spots {
		for _, s := range sides {
			if a.evidence.has(s.id, at) {
				continue
			}
			t := mutate.Trial{
				Variant: s.id, Config: s.config.Clone(), Task: a.tasks[at.task].ID, Repeat: at.repeat, Stage: bench.StageAblate,
			}
			if s.id != a.winnerID && s.id != a.championID {
				t.Parents, t.Operator, t.Rationale = []agent.ConfigID{a.winnerID}, Operator, a.rationale(s.config)
			}
			out = append(out, t)
		}
	}
	return out
}

// Operator is the name of the operator that is recorded for the tried configs.
const Operator = "ablation"
