package contest

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// individual is an entry with its advantage: the sum, over its evaluations, of the entry's
// score minus the mean score of all entries that were evaluated on the same task at the
// same time. This removes the effect of the tasks' difficulty.
type individual struct {
	contender
	advantage float64
	trials    int
}

func (i *individual) fitness() float64 { return i.advantage / float64(max(1, i.trials)) }

// genetic is an evolutionary search similar to NSGA-II (Deb and others 2002) with one
// objective. Parents and children compete with each other, and in every generation the
// parents are evaluated again, on the same new tasks as the children. A quarter of the
// budget is reserved for a final race of the best individuals.
func genetic(d *Desk, few int) Outcome {
	few = d.few(few)
	rng := d.rand(0x6e6e)
	c := newChart(d.Problem.Space)
	size := int(math.Round(math.Sqrt(float64(d.Budget)) / 2))
	parents := []*individual{{contender: contender{genome: c.encode(d.Problem.Default())}}}
	standard := parents[0]
	for len(parents) < 2*size {
		parents = append(parents, &individual{contender: contender{genome: c.random(rng)}})
	}
	for _, p := range parents {
		p.config = c.decode(p.genome)
	}
	last := d.Budget * 3 / 4
	for place := 0; d.spent+len(parents)*few <= last; place += few {
		d.generation(parents, place, few)
		slices.SortStableFunc(parents, func(a, b *individual) int { return cmp.Compare(b.fitness(), a.fitness()) })
		parents = parents[:size:size]
		for range size {
			child := c.cross(tournament(parents, rng).genome, tournament(parents, rng).genome, rng)
			parents = append(parents, &individual{contender: contender{genome: child, config: c.decode(child)}})
		}
	}
	list := []*contender{{config: standard.config}}
	slices.SortStableFunc(parents, func(a, b *individual) int { return cmp.Compare(b.fitness(), a.fitness()) })
	for _, p := range parents {
		if p != standard && p.trials > 0 && len(list) <= raced {
			// The contenders are entered without scores, so that the race starts afresh.
			list = append(list, &contender{config: p.config})
		}
	}
	return d.race(list).outcome()
}

// generation evaluates all individuals on the next few tasks.
func (d *Desk) generation(all []*individual, place, few int) {
	for k := range few {
		scores, mean := make([]float64, len(all)), 0.0
		for i, p := range all {
			r, ok := d.buy(p.config, d.dealt(place+k), -1)
			if !ok {
				return // the problem is priced, and evaluations are more expensive than expected
			}
			scores[i] = r.Score
			mean += r.Score / float64(len(all))
		}
		for i, p := range all {
			p.advantage += scores[i] - mean
			p.trials++
		}
	}
}

func tournament(list []*individual, rng *rand.Rand) *individual {
	a, b := rng.IntN(len(list)), rng.IntN(len(list))
	return list[min(a, b)] // sorted by fitness, best first
}

// cross takes each dimension from one of two genomes. Numbers sometimes get a value between
// the two. It then mutates one or two dimensions on average (polynomial mutation, with
// index 20 in NSGA-II but 5 here, because the search is short).
func (c chart) cross(a, b genome, rng *rand.Rand) genome {
	child := slices.Clone(a)
	for k, d := range c.dimensions {
		if rng.IntN(2) == 0 {
			child[k] = b[k]
		}
		if d.Type != "list" && rng.IntN(4) == 0 {
			u := d.place(a[k]) + rng.Float64()*(d.place(b[k])-d.place(a[k]))
			child[k] = d.at(math.Max(0, math.Min(1, u)))
		}
		if rng.Float64() >= 1.5/float64(len(c.dimensions)) {
			continue
		}
		if d.Type == "list" {
			child[k] = d.at(rng.Float64())
			continue
		}
		const steepness = 5
		u, step := rng.Float64(), 0.0
		if u < 0.5 {
			step = math.Pow(2*u, 1.0/(steepness+1)) - 1
		} else {
			step = 1 - math.Pow(2*(1-u), 1.0/(steepness+1))
		}
		child[k] = d.at(math.Max(0, math.Min(1, d.place(child[k])+step)))
	}
	return child
}
