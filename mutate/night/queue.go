package night

import (
	"slices"

	"evolve/mutate"
	"evolve/runtime/agent"
)

// queue holds the trials that wait for a place. It gives a free place a trial of the config that
// the place had last, or else of a config that no other place has, so that a program that sets up
// each config does so once for many trials. When few trials wait, because no further ones are
// asked for before the results of early ones, the earliest is next, whatever its config.
type queue struct {
	waiting []waiting
	// free are the configs that the free places had last, "" before its first trial, in the
	// order in which the places became free.
	free []agent.ConfigID
	// taken counts the places that evaluate a config now.
	taken map[agent.ConfigID]int
	// few is the number of waiting trials from which on configs decide.
	few int
}

// waiting is a trial that waits; n is its number in the order of asking.
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

// next removes a trial and gives it a place. There must be a waiting trial and a free
// place.
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

// vacate frees the place of a trial of a config that ended.
func (q *queue) vacate(config agent.ConfigID) {
	if q.taken[config]--; q.taken[config] == 0 {
		delete(q.taken, config)
	}
	q.free = append(q.free, config)
}
