package contest

import (
	"math"
	"math/rand/v2"
	"time"

	"evolve/mutate/internal/lab/problem"
	"evolve/runtime/agent"
)

// Desk sells evaluations on one problem to a contestant. It counts them, numbers the
// repeats of each pair of config and task in order, and refuses evaluations beyond the
// budget. It is not safe for concurrent use.
type Desk struct {
	Problem *problem.Problem
	// Budget is a number of evaluations, each of one config on one task. For a priced
	// problem it is an amount of money, in multiples of the default's mean cost.
	Budget int
	// Seed is the seed for the contestant and for the evaluations' noise. It is the same
	// for all contestants.
	Seed int64

	// spent is the part of the budget that has been used, and bought is the number of
	// evaluations.
	spent, bought int
	// unit is the cost in USD that counts as one evaluation of the budget, and usd is the
	// amount paid. Both are 0 unless the problem is priced.
	unit, usd float64
	// sold is called for each sale; it may be nil.
	sold func(agent.Config, int, problem.Result)

	paid map[purchase]int
	deck []int
	// worked is the CPU time used by the problem, which does not count as the contestant's.
	worked time.Duration
}

type purchase struct {
	config agent.ConfigID
	task   int
}

// NewDesk returns a desk.
func NewDesk(p *problem.Problem, budget int, seed int64) *Desk {
	d := &Desk{Problem: p, Budget: budget, Seed: seed, paid: map[purchase]int{}}
	for j, t := range p.Tasks {
		for range int(t.Weight) {
			d.deck = append(d.deck, j)
		}
	}
	if p.Priced {
		d.unit = p.Cost(p.Default())
	}
	rng := d.rand(0xdec)
	rng.Shuffle(len(d.deck), func(a, b int) { d.deck[a], d.deck[b] = d.deck[b], d.deck[a] })
	return d
}

// rand returns a random source for one purpose, derived from the desk's seed.
func (d *Desk) rand(purpose uint64) *rand.Rand { return rand.New(rand.NewPCG(uint64(d.Seed), purpose)) }

// left returns the remaining budget as a number of evaluations. For a priced problem, it
// is the number of evaluations that the money buys at the default's mean cost.
func (d *Desk) left() int { return d.Budget - d.spent }

// buy evaluates a config on a task, or returns false if the budget is spent. The last
// purchase for a priced problem may cost more than the remaining budget. A negative repeat
// stands for the next repeat of this config and task.
func (d *Desk) buy(c agent.Config, task, repeat int) (problem.Result, bool) {
	if d.left() <= 0 {
		return problem.Result{}, false
	}
	start := processorTime()
	defer func() { d.worked += processorTime() - start }()
	if repeat < 0 {
		key := purchase{c.ID(), task}
		repeat = d.paid[key]
		d.paid[key]++
	}
	moment := float64(d.spent) / float64(d.Budget)
	r := d.Problem.Score(c, task, repeat, d.Seed, moment)
	d.bought++
	d.spent = d.bought
	if d.unit > 0 {
		d.usd += r.CostUSD
		d.spent = int(d.usd / d.unit)
	}
	if d.sold != nil {
		d.sold(c, task, r)
	}
	return r, true
}

// forecast returns the number of evaluations that the whole budget is expected to buy, at
// the mean cost so far.
func (d *Desk) forecast() int {
	if d.unit == 0 || d.bought == 0 {
		return d.Budget
	}
	left := float64(d.Budget)*d.unit - d.usd
	return d.bought + int(math.Ceil(math.Max(0, left)*float64(d.bought)/d.usd))
}

// dealt returns the task at a position in the deck, which is used cyclically. The deck
// contains all tasks in shuffled order, with a task of weight n occurring n times, so the
// mean over the deck is the weighted mean.
func (d *Desk) dealt(place int) int { return d.deck[place%len(d.deck)] }
