package problem

import (
	"math"
	"sync"

	"evolve/runtime/agent"
)

// Task is the part of a problem's search task that a search may use.
type Task struct {
	ID     string
	Domain string
	// Weight in the true score: a small integer, 1 in most families.
	Weight float64
}

// Result is the result of one evaluation.
type Result struct {
	// Score is in [0,1].
	Score float64
	// CostUSD and Seconds are above 0.
	CostUSD, Seconds float64
}

// Problem is one agent-configuration problem: a synthetic one, or one of real runs (see
// [Measured]). Its methods are safe for
// concurrent use.
type Problem struct {
	// Family and Seed identify the problem: the same two always give the same one.
	Family string
	Seed   int64
	// Space has the default config as the defaults of its parameters.
	Space agent.Space
	Tasks []Task
	// Priced reports whether a search has a budget of money, because the costs of configs
	// differ too much for a budget of evaluations.
	Priced bool
	// Earlier is the problem as it was on an earlier night, with the same space and tasks
	// and other effects; nil in most families.
	Earlier *Problem
	// Fixed reports whether scores have no randomness: every repeat of a task has the
	// same score.
	Fixed bool
	// Measured is nil in synthetic problems. The fields below are for synthetic ones.
	Measured *Measured

	codec     codec
	landscape landscape
	search    []item
	holdout   []item
	// judged has the tasks of the true score; nil: those of the search.
	judged []item
	noise  noise
	bill   bill
	// tails is nil in most families.
	tails *tails
	// leads are points from which the offline optimiser climbs besides its own.
	leads []point

	best func() optimum
}

// optimum is a point with its true score.
type optimum struct {
	at    point
	score float64
}

// Default returns the config that a search starts from.
func (p *Problem) Default() agent.Config { return p.Space.Default() }

// Score evaluates a config on the search task with an index. It depends only on its
// arguments. Half of the noise is shared by all configs at the same task, repeat and seed
// (see noise). Moment in [0,1] is the elapsed share of the night: cost and seconds may
// drift with it, the score never does. The config must be one of the space.
func (p *Problem) Score(c agent.Config, task, repeat int, seed int64, moment float64) Result {
	if p.Measured != nil {
		return Result{Score: p.Measured.Run(c, p.Measured.Search[task]), CostUSD: 0.001, Seconds: 1}
	}
	at := p.codec.encode(c)
	v, it := p.landscape.view(at), &p.search[task]
	expected := p.landscape.chance(v, it)
	cost, seconds := p.bill.of(at, task, repeat, seed, moment)
	r := Result{CostUSD: cost, Seconds: seconds}
	if p.tails != nil {
		r.Score = p.tails.draw(p.noise.salt, expected, (1-it.slip)*v.factor, at, task, repeat, seed)
	} else {
		r.Score = p.noise.draw(expected, at, task, repeat, seed)
	}
	return r
}

// Cost returns the expected cost in USD of an evaluation of a config, as the weighted mean
// over the search tasks, before prices drift.
func (p *Problem) Cost(c agent.Config) float64 {
	if p.Measured != nil {
		return 0.001
	}
	at := p.codec.encode(c)
	sum, weight := 0.0, 0.0
	for j, t := range p.Tasks {
		sum += t.Weight * p.bill.expected(at, j)
		weight += t.Weight
	}
	return sum / weight
}

// True returns the exact expected score of a config: the weighted mean over the search
// tasks of the mean of Score over infinitely many repeats. If scores have no randomness,
// it is the mean over the tasks that neither the search nor the holdout has.
func (p *Problem) True(c agent.Config) float64 {
	if p.Measured != nil {
		return p.Measured.mean(c, p.Measured.Truth)
	}
	return p.truth(p.codec.encode(c))
}

// Holdout is like True over other tasks of the same population.
func (p *Problem) Holdout(c agent.Config) float64 {
	if p.Measured != nil {
		return p.Measured.mean(c, p.Measured.Holdout)
	}
	return p.landscape.mean(p.codec.encode(c), p.holdout)
}

// Expected returns the mean of Score over infinitely many repeats of one search task.
func (p *Problem) Expected(c agent.Config, task int) float64 {
	if p.Measured != nil {
		return p.Measured.Run(c, p.Measured.Search[task])
	}
	return p.landscape.expected(p.codec.encode(c), &p.search[task])
}

// Best returns the best config that the offline optimiser (see climber) finds by the true
// score, and that score. It is computed once, at first use. For a problem of real runs, it
// returns the best of the known configs and the default.
func (p *Problem) Best() (agent.Config, float64) {
	o := p.best()
	return p.codec.decode(o.at), o.score
}

func (p *Problem) truth(at point) float64 {
	if p.judged != nil {
		return p.landscape.mean(at, p.judged)
	}
	return p.landscape.mean(at, p.search)
}

// onceBest returns a function that computes the best point on its first call.
func (p *Problem) onceBest() func() optimum {
	return sync.OnceValue(func() optimum {
		start := p.codec.encode(p.Default())
		found := p.climber().run(patient, append([]point{start}, p.leads...)...)
		if found.score < p.truth(start) {
			return optimum{start, p.truth(start)}
		}
		return found
	})
}

// clamp limits x to [lo, hi].
func clamp(x, lo, hi float64) float64 { return math.Max(lo, math.Min(hi, x)) }
