package night

import (
	"slices"

	"evolve/mutate"
	"evolve/runtime/agent"
)

// queue holds the trials that wait for a slot. It gives a free slot a trial of the config
// that the slot had last, or else of a config that no other slot has, so that a program
// that sets up each config does so once for many trials. If only few trials wait, because
// no further trials are asked for before the results of early ones arrive, the earliest
// trial is next, whatever its config.
type queue struct {
	waiting []waiting
	// free holds the configs that the free slots had last, in the order in which the slots
	// became free. The config is "" for a slot that has not had a trial yet.
	free []agent.ConfigID
	// taken counts, for each config, the slots that are evaluating it now.
	taken map[agent.ConfigID]int
	// few is the minimum number of waiting trials at which their configs decide which
	// trial is next; with fewer, the earliest is next.
	few int
}

// waiting is a trial that waits for a slot; n is its number in the order of asking.
type waiting struct {
	trial mutate.Trial
	n     int
	run   func()
}

func newQueue(places, few int) *queue {
	return &queue{free: make([]agent.ConfigID, places), taken: map[agent.ConfigID]int{}, few: few}
}

func (q *queue) len() int { return len(q.waiting) }

// add appends a trial.
func (q *queue) add(w waiting) { q.waiting = append(q.waiting, w) }

// next removes a trial and gives it a slot. There must be a waiting trial and a free slot.
func (q *queue) next() waiting {
	at, place := q.choose()
	w := q.waiting[at]
	q.waiting = slices.Delete(q.waiting, at, at+1)
	q.free = slices.Delete(q.free, place, place+1)
	q.taken[w.trial.Variant]++
	return w
}

func (q *queue) choose() (at, place int) {
	having := func(w waiting) int { return slices.Index(q.free, w.trial.Variant) }
	if len(q.waiting) >= q.few {
		if at := slices.IndexFunc(q.waiting, func(w waiting) bool { return having(w) >= 0 }); at >= 0 {
			return at, having(q.waiting[at])
		}
		at = max(0, slices.IndexFunc(q.waiting, func(w waiting) bool { return q.taken[w.trial.Variant] == 0 }))
	}
	return at, max(0, having(q.waiting[at]))
}

// vacate frees the slot of a trial that has ended; config is the trial's config.
func (q *queue) vacate(config agent.ConfigID) {
	if q.taken[config]--; q.taken[config] == 0 {
		delete(q.taken, config)
	}
	q.free = append(q.free, config)
}
