package contest

import (
	"math/rand/v2"
	"time"

	"evolve/mutate/internal/lab/problem"
	"evolve/runtime/agent"
)

// Desk sells evaluations of one problem to a contestant. It counts them, assigns the
// repeats of a (config, task) in order and refuses evaluations beyond the budget. It is
// not safe for concurrent use.
type Desk struct {
	Problem *problem.Problem
	// Budget is the number of evaluations of one config on one task.
	Budget int
	// Seed is the seed of the contestant and of the evaluations' noise, the same for all
	// contestants.
	Seed int64

	spent int
	paid  map[purchase]int
	deck  []int
	// worked is the CPU time of the problem, which does not count as the contestant's.
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
	rng := d.rand(0xdec)
	rng.Shuffle(len(d.deck), func(a, b int) { d.deck[a], d.deck[b] = d.deck[b], d.deck[a] })
	return d
}

// rand returns a random source for one purpose, from the desk's seed.
func (d *Desk) rand(purpose uint64) *rand.Rand { return rand.New(rand.NewPCG(uint64(d.Seed), purpose)) }

// left returns the number of evaluations left.
func (d *Desk) left() int { return d.Budget - d.spent }

// buy evaluates a config on a task; false when the budget is spent. A negative repeat
// means the next one of this config and task.
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

// dealt returns the task at a place of the deck, cyclically. The deck has all tasks in a
// shuffled order, those of weight n n times, so that the mean over the deck is the
// weighted mean.
func (d *Desk) dealt(place int) int { return d.deck[place%len(d.deck)] }
