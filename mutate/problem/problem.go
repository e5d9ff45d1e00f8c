package problem

import (
	"math"
	"sync"

	"evolve/runtime/agent"
)

// Task is what a search may know of a search task of a problem.
type Task struct {
	ID     string
	Domain string
	// Weight in the true score: a small whole number, 1 in most families.
	Weight float64
}

// Result is what one evaluation gives.
type Result struct {
	// Score is in [0,1].
	Score float64
	// CostUSD and Seconds are above 0.
	CostUSD, Seconds float64
}

// Problem is one synthetic agent-configuration problem. Its methods are safe for
// concurrent use.
type Problem struct {
	// Family and Seed name the variant: the same two always make the same problem.
	Family string
	Seed   int64
	// Space has the default as the defaults of its parameters.
	Space agent.Space
	Tasks []Task

	codec     codec
	landscape landscape
	search    []item
	holdout   []item
	noise     noise
	bill      bill

	best func() optimum
}

// optimum is a point with its true score.
type optimum struct {
	at    point
	score float64
}

// Default is the config that a search starts from.
func (p *Problem) Default() agent.Config { return p.Space.Default() }

// Score evaluates a config on the search task of an index. It depends on nothing but
// its arguments. Half of what is random in it is shared by all configs at the same
// task, repeat and seed (see noise). Moment in [0,1] is how much of the night has gone:
// cost and seconds may drift with it, the score never does. The config must be one of
// the space.
func (p *Problem) Score(c agent.Config, task, repeat int, seed int64, moment float64) Result {
	at := p.codec.encode(c)
	expected := p.landscape.expected(at, &p.search[task])
	cost, seconds := p.bill.of(at, task, repeat, seed, moment)
	return Result{Score: p.noise.draw(expected, at, task, repeat, seed), CostUSD: cost, Seconds: seconds}
}

// True is the expected score of a config, exactly: the weighted mean over the search
// tasks of the mean of Score over endlessly many repeats.
func (p *Problem) True(c agent.Config) float64 { return p.truth(p.codec.encode(c)) }

// Holdout is the same over other tasks of the same population.
func (p *Problem) Holdout(c agent.Config) float64 {
	return p.landscape.mean(p.codec.encode(c), p.holdout)
}

// Expected is the mean of Score over endlessly many repeats of one search task.
func (p *Problem) Expected(c agent.Config, task int) float64 {
	return p.landscape.expected(p.codec.encode(c), &p.search[task])
}

// Best is the best config that the offline optimiser finds with the true score in
// hand, and that score; see climber for how. It is computed once, at first use.
func (p *Problem) Best() (agent.Config, float64) {
	o := p.best()
	return p.codec.decode(o.at), o.score
}

func (p *Problem) truth(at point) float64 { return p.landscape.mean(at, p.search) }

// onceBest remembers the best after its first use.
func (p *Problem) onceBest() func() optimum {
	return sync.OnceValue(func() optimum {
		start := p.codec.encode(p.Default())
		found := p.climber().run(patient, start)
		if found.score < p.truth(start) {
			return optimum{start, p.truth(start)}
		}
		return found
	})
}

// clamp limits x to [lo, hi].
func clamp(x, lo, hi float64) float64 { return math.Max(lo, math.Min(hi, x)) }
