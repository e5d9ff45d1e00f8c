package contest

import (
	"math/rand/v2"
	"time"

	"evolve/mutate/problem"
	"evolve/runtime/agent"
)

// Desk is where a contestant buys evaluations of one problem. It counts them, hands out
// the repeats of a (config, task) in order and refuses what is beyond the budget. It is
// not safe for concurrent use.
type Desk struct {
	Problem *problem.Problem
	// Budget is in single evaluations of a config on a task.
	Budget int
	// Seed is that of the contestant's own randomness and of the evaluations' luck, the
	// same for all contestants.
	Seed int64

	spent int
	paid  map[purchase]int
	deck  []int
	// worked is the processor time of the problem, which is not the contestant's.
	worked time.Duration
}

type purchase struct {
	config agent.ConfigID
	task   int
}

// NewDesk opens a desk.
func NewDesk(p *problem.Problem, budget int, seed int64) *Desk {
	d := &Desk{Problem: p, Budget: budget, Seed: seed, paid: map[purchase]int{}}
	for j, t := range p.Tasks {
		for range int(t.Weight) {
			d.deck = append(d.deck, j)
		}
	}
	rng := d.rand(0xdec)
	rng.Shuffle(len(d.deck), func(a, b int) { d.deck[a], d.deck[b] = d.deck[b], d.deck[a] })
	return d
}

// rand is a source of randomness of the desk's seed for one purpose.
func (d *Desk) rand(purpose uint64) *rand.Rand { return rand.New(rand.NewPCG(uint64(d.Seed), purpose)) }

// left is how many evaluations can still be bought.
func (d *Desk) left() int { return d.Budget - d.spent }

// buy evaluates a config on a task; false when the budget is spent. Repeat below 0 is
// the next one of this config and task.
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
	d.spent++
	return d.Problem.Score(c, task, repeat, d.Seed, moment), true
}

// dealt is the task at a place of the deck: all tasks in a shuffled order, those of
// weight n n times, so that the mean over the deck is the weighted mean. It goes round.
func (d *Desk) dealt(place int) int { return d.deck[place%len(d.deck)] }
