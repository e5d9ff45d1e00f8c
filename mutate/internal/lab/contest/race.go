package contest

import (
	"cmp"
	"slices"

	"evolve/runtime/agent"
)

// contender is a config with its scores on consecutive positions in the deck.
type contender struct {
	genome genome
	config agent.Config
	// from is the contender's first position in the deck, and n is the number of positions
	// on which it has been evaluated.
	from, n int
	sum     float64
}

func (e *contender) mean() float64 { return e.sum / float64(max(1, e.n)) }

func (e *contender) outcome() Outcome { return Outcome{Config: e.config, Claimed: e.mean()} }

// byMean compares two contenders for sorting by descending mean.
func byMean(a, b *contender) int { return cmp.Compare(b.mean(), a.mean()) }

// advance evaluates a contender on the deck, beginning at the contender's first position,
// until it has n evaluations.
func (d *Desk) advance(e *contender, n int) {
	for e.n < n {
		r, ok := d.buy(e.config, d.dealt(e.from+e.n), -1)
		if !ok {
			return
		}
		e.sum += r.Score
		e.n++
	}
}

// raced is the maximum number of entries in a final race, not counting the default.
const raced = 16

// race spends the remaining budget on the best entries in a list and on the default, which
// is the first entry. It uses sequential halving (Karnin, Koren and Somekh 2013), with all
// entries on the same tasks, and returns the best entry.
func (d *Desk) race(list []*contender) *contender {
	standard := list[0]
	rest := list[1:]
	slices.SortStableFunc(rest, byMean)
	pool := append([]*contender{standard}, rest[:min(len(rest), raced, max(1, d.left()/10))]...)
	for _, e := range pool {
		if e.from > 0 {
			*e = contender{genome: e.genome, config: e.config} // discard scores from elsewhere in the deck
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
		// Evaluate all on the same tasks, entries with fewer evaluations first.
		deficit := 0
		for _, e := range pool {
			deficit += most - e.n
		}
		goal := most + max(0, share-deficit/len(pool))
		if deficit > d.left() {
			break
		}
		// If configs are cheaper than the default, money is left at the end, so the last
		// round spends it.
		rest := round == 1 && d.unit > 0
		for n := 1; (n <= goal || rest) && d.left() > 0; n++ {
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
