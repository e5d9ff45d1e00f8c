package mutate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"evolve/runtime/agent"
)

// problem is a synthetic agent-configuration problem whose true score is known.
type problem struct {
	space agent.Space
	tasks []Task
	// chance is the expected score of a config on a task.
	chance func(c agent.Config, task int) float64
	// graded scores are noisy numbers instead of passes and failures.
	graded bool
}

func (p *problem) truth(c agent.Config) float64 {
	sum := 0.0
	for j := range p.tasks {
		sum += p.chance(c, j)
	}
	return sum / float64(len(p.tasks))
}

func (p *problem) score(c agent.Config, task int, rng *rand.Rand) float64 {
	q := p.chance(c, task)
	if p.graded {
		return clamp(q+0.1*rng.NormFloat64(), 0, 1)
	}
	if rng.Float64() < q {
		return 1
	}
	return 0
}

// families are the kinds of problem; each seed is another problem of the kind.
var families = map[string]func(rng *rand.Rand) *problem{
	"smooth graded":   func(rng *rand.Rand) *problem { return makeProblem(rng, 8, 2, true, 0) },
	"noisy pass/fail": func(rng *rand.Rand) *problem { return makeProblem(rng, 8, 3, false, 0) },
	"thirty params":   func(rng *rand.Rand) *problem { return makeProblem(rng, 22, 8, false, 0) },
	"catastrophes":    func(rng *rand.Rand) *problem { return makeProblem(rng, 9, 4, false, 0.35) },
}

// makeProblem draws optimum, weights, task difficulties and, with some share, a
// choice value under which everything fails.
func makeProblem(rng *rand.Rand, numbers, choices int, graded bool, disaster float64) *problem {
	p := &problem{graded: graded}
	type part struct {
		best, weight float64
		good         int
	}
	parts := map[string]part{}
	for i := range numbers {
		name := fmt.Sprintf("n%d", i)
		p.space.Params = append(p.space.Params, agent.Param{Name: name, Kind: agent.Float, Min: 0, Max: 1, Default: fromUnit(agent.Param{Kind: agent.Float, Max: 1}, rng.Float64())})
		parts[name] = part{best: rng.Float64(), weight: rng.ExpFloat64()}
	}
	deadly := map[string]int{}
	for i := range choices {
		name := fmt.Sprintf("c%d", i)
		values := []any{"a", "b", "c", "d"}
		at := rng.IntN(4)
		p.space.Params = append(p.space.Params, agent.Param{Name: name, Kind: agent.Choice, Values: values, Default: values[at]})
		parts[name] = part{good: rng.IntN(4), weight: rng.ExpFloat64()}
		if rng.Float64() < disaster {
			if d := rng.IntN(4); d != at && d != parts[name].good {
				deadly[name] = d
			}
		}
	}
	total := 0.0
	for _, q := range p.space.Names() {
		total += parts[q].weight
	}
	var difficulty []float64
	for j := range 80 {
		p.tasks = append(p.tasks, Task{ID: fmt.Sprintf("t%d", j), Weight: 1})
		difficulty = append(difficulty, 1.5*rng.NormFloat64())
	}
	index := map[any]int{"a": 0, "b": 1, "c": 2, "d": 3}
	p.chance = func(c agent.Config, task int) float64 {
		skill := 0.0
		for _, q := range p.space.Params {
			w := parts[q.Name]
			if q.Kind == agent.Float {
				d := c.Float(q.Name, 0) - w.best
				skill += w.weight * (1 - 4*d*d)
				continue
			}
			v := index[c[q.Name]]
			if d, ok := deadly[q.Name]; ok && d == v {
				return 0.02
			}
			if v == w.good {
				skill += w.weight
			}
		}
		return 1 / (1 + math.Exp(-(6*(skill/total) - 4 + difficulty[task])))
	}
	return p
}

// best climbs to the attainable best by coordinate search on the true score.
func (p *problem) best() float64 {
	c := p.space.Default()
	top := p.truth(c)
	for range 3 {
		for _, q := range p.space.Params {
			var values []any
			if q.Kind == agent.Float {
				for i := range 21 {
					values = append(values, float64(i)/20)
				}
			} else {
				values = q.Values
			}
			for _, v := range values {
				d := c.Clone()
				d[q.Name] = v
				if t := p.truth(d); t > top {
					top, c = t, d
				}
			}
		}
	}
	return top
}

// solve runs a searcher with so many in flight and returns the true score of its
// recommendation.
func (p *problem) solve(t testing.TB, budget, inFlight int, seed int64) float64 {
	t.Helper()
	s := newSearch(t, Options{Space: p.space, Champion: p.space.Default(), Tasks: p.tasks, Budget: budget, Seed: seed})
	rng := rand.New(rand.NewPCG(uint64(seed), 99))
	index := map[string]int{}
	for j, task := range p.tasks {
		index[task.ID] = j
	}
	var flying []Trial
	for {
		tr, status := s.Ask()
		if status == Ready {
			flying = append(flying, tr)
		}
		if len(flying) == 0 {
			break
		}
		if len(flying) >= inFlight || status != Ready {
			tr, flying = flying[0], flying[1:]
			s.Tell(Observation{Trial: tr, Scored: true, Score: p.score(tr.Config, index[tr.Task], rng)})
		}
	}
	return p.truth(s.Recommend().Best.Config)
}

// randomSearch is the peer: random configs on a few tasks each, the best tenth
// evaluated again with half the budget, the best mean recommended.
func (p *problem) randomSearch(t testing.TB, budget int, seed int64) float64 {
	rng := rand.New(rand.NewPCG(uint64(seed), 7))
	s := newSearch(t, Options{Space: p.space, Champion: p.space.Default(), Tasks: p.tasks, Budget: budget, Seed: seed})
	type tried struct {
		c      agent.Config
		sum, n float64
	}
	list := []*tried{{c: p.space.Default()}}
	evaluate := func(t *tried, k int) {
		for range k {
			t.sum += p.score(t.c, rng.IntN(len(p.tasks)), rng)
			t.n++
		}
	}
	const first = 5
	for range budget / 2 / first {
		list = append(list, &tried{c: s.random().config})
	}
	for _, t := range list {
		evaluate(t, first)
	}
	mean := func(a, b *tried) int { return sign(b.sum/b.n - a.sum/a.n) }
	slices.SortStableFunc(list, mean)
	list = list[:max(2, len(list)/10)]
	for _, t := range list {
		evaluate(t, budget/2/len(list))
	}
	slices.SortStableFunc(list, mean)
	return p.truth(list[0].c)
}

// BenchmarkRegret prints, by family, the median regret of the recommendation and
// the share of recommendations worse than the default, beside random search with
// re-evaluation on the same problems and budgets.
func BenchmarkRegret(b *testing.B) {
	const seeds = 15
	for _, budget := range []int{500, 2000} {
		for _, name := range []string{"smooth graded", "noisy pass/fail", "thirty params", "catastrophes"} {
			b.Run(fmt.Sprintf("%s/%d", name, budget), func(b *testing.B) {
				for b.Loop() {
					var ours, peers []float64
					worse, worsePeer := 0, 0
					for seed := range int64(seeds) {
						p := families[name](rand.New(rand.NewPCG(uint64(seed), 3)))
						best, def := p.best(), p.truth(p.space.Default())
						mine, peer := p.solve(b, budget, 8, seed), p.randomSearch(b, budget, seed)
						ours, peers = append(ours, best-mine), append(peers, best-peer)
						if mine < def-1e-9 {
							worse++
						}
						if peer < def-1e-9 {
							worsePeer++
						}
					}
					b.ReportMetric(median(ours), "regret")
					b.ReportMetric(median(peers), "random-regret")
					b.ReportMetric(float64(worse)/seeds, "worse")
					b.ReportMetric(float64(worsePeer)/seeds, "random-worse")
				}
			})
		}
	}
}

// newSearch is New for tests that look inside.
func newSearch(t testing.TB, o Options) *search {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*search)
}
