package contest

import (
	"cmp"
	"slices"

	"evolve/runtime/agent"
)

// entry is a config with what it has scored on the deck from a place on.
type entry struct {
	genome genome
	config agent.Config
	// from is the first place; n places from there on are done.
	from, n int
	sum     float64
}

func (e *entry) mean() float64 { return e.sum / float64(max(1, e.n)) }

// byMean puts the best first.
func byMean(a, b *entry) int { return cmp.Compare(b.mean(), a.mean()) }

// advance evaluates an entry on the deck's places from its own on, until it has n.
func (d *Desk) advance(e *entry, n int) {
	for e.n < n {
		r, ok := d.buy(e.config, d.dealt(e.from+e.n), -1)
		if !ok {
			return
		}
		e.sum += r.Score
		e.n++
	}
}

// raced is how many entries a final race starts with.
const raced = 16

// race spends what is left on the best of a list and on the default, which comes first:
// sequential halving (Karnin, Koren and Somekh 2013), all on the same tasks. It returns
// the best.
func (d *Desk) race(list []*entry) *entry {
	standard := list[0]
	rest := list[1:]
	slices.SortStableFunc(rest, byMean)
	pool := append([]*entry{standard}, rest[:min(len(rest), raced, max(1, d.left()/10))]...)
	for _, e := range pool {
		if e.from > 0 {
			*e = entry{genome: e.genome, config: e.config} // it was elsewhere on the deck
		}
	}
	rounds := 1
	for n := len(pool); n > 2; n = (n + 1) / 2 {
		rounds++
	}
	for round := rounds; round > 0 && d.left() > 0 && len(pool) > 1; round-- {
		share := d.left() / round / len(pool)
		most := 0
		for _, e := range pool {
			most = max(most, e.n)
		}
		// All on the same tasks, those that lag behind first.
		deficit := 0
		for _, e := range pool {
			deficit += most - e.n
		}
		goal := most + max(0, share-deficit/len(pool))
		if deficit > d.left() {
			break
		}
		for n := 1; n <= goal && d.left() > 0; n++ {
			for _, e := range pool {
				d.advance(e, n)
			}
		}
		slices.SortStableFunc(pool, byMean)
		if round > 1 {
			pool = pool[:(len(pool)+1)/2]
		}
	}
	return pool[0]
}
