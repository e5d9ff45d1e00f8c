package problem

import (
	"math"
	"sync"

	"evolve/runtime/agent"
)

// Task contains what a search may use of one of a problem's search tasks.
type Task struct {
	ID     string
	Domain string
	// Weight is the task's weight in the true score: a small integer, which is 1 in most
	// families.
	Weight float64
}

// Result is the result of one evaluation.
type Result struct {
	// Score is in [0,1].
	Score float64
	// CostUSD and Seconds are always above 0.
	CostUSD, Seconds float64
}

// Problem is one agent-configuration problem: a synthetic problem, or one that consists of
// real runs (see [Measured]). Its methods are safe for concurrent use.
type Problem struct {
	// Family and Seed identify the problem: the same family and seed always result in the
	// same problem.
	Family string
	Seed   int64
	// Space is the space of configs. The defaults of its parameters form the default
	// config.
	Space agent.Space
	Tasks []Task
	// Priced reports whether the budget of a search is an amount of money, because the
	// costs of configs differ too much for the budget to be a number of evaluations.
	Priced bool
	// Earlier is the problem as it was on an earlier night, with the same space and tasks
	// but other effects; nil in most families.
	Earlier *Problem
	// Fixed reports whether scores have no randomness, so every repeat of a task has the
	// same score.
	Fixed bool
	// Measured is nil in synthetic problems. The fields below are only for synthetic
	// problems.
	Measured *Measured

	codec     codec
	landscape landscape
	search    []item
	holdout   []item
	// judged holds the tasks on which the true score is measured; nil means the search
	// tasks.
	judged []item
	noise  noise
	bill   bill
	// tails draws the scores in a family whose evaluations can collapse; it is nil in all
	// other families.
	tails *tails
	// leads are additional points from which the offline optimiser climbs.
	leads []point

	best func() optimum
}

// optimum is a point and its true score.
type optimum struct {
	at    point
	score float64
}

// Default returns the config from which a search starts.
func (p *Problem) Default() agent.Config { return p.Space.Default() }

// Score evaluates a config on the search task with the given index. The result depends only
// on the arguments. Half of the noise is shared by all configs at the same task, repeat and
// seed (see noise). moment in [0,1] is the elapsed share of the night: cost and seconds may
// drift with it, but the score never does. The config must be in the space.
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

// Cost returns the expected cost in USD of an evaluation of a config. It is the weighted
// mean over the search tasks, before prices drift.
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

// True returns the exact expected score of a config. It is the weighted mean over the
// search tasks, where the score on a task is the mean of Score over infinitely many
// repeats. If scores have no randomness, it is the mean over tasks that are in neither the
// search nor the holdout.
func (p *Problem) True(c agent.Config) float64 {
	if p.Measured != nil {
		return p.Measured.mean(c, p.Measured.Truth)
	}
	return p.truth(p.codec.encode(c))
}

// Holdout is like True, but over other tasks from the same population.
func (p *Problem) Holdout(c agent.Config) float64 {
	if p.Measured != nil {
		return p.Measured.mean(c, p.Measured.Holdout)
	}
	return p.landscape.mean(p.codec.encode(c), p.holdout)
}

// Expected returns the mean of Score over infinitely many repeats on one search task.
func (p *Problem) Expected(c agent.Config, task int) float64 {
	if p.Measured != nil {
		return p.Measured.Run(c, p.Measured.Search[task])
	}
	return p.landscape.expected(p.codec.encode(c), &p.search[task])
}

// Best returns the config with the best true score that the offline optimiser (see climber)
// finds, and that score. It is computed only once, on first use. For a problem that
// consists of real runs, it returns the best of the known configs and the default.
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
