package problem

import (
	"math/rand/v2"
	"sync"

	"evolve/runtime/agent"
)

// Measured is the part of a problem in which a real agent runs on the tasks of a data set.
// Its runs have no randomness: a config always gets the same score on a task.
type Measured struct {
	// Run returns the score in [0,1] of a config on the task at a place of the data, and All
	// those on the whole data.
	Run func(c agent.Config, place int) float64
	All func(agent.Config) []float64
	// Search, Holdout and Truth are disjoint parts of the data, as places. Tasks of the
	// problem are those of Search.
	Search, Holdout, Truth []int
	// Known are good configs, which an offline search over the whole data found.
	Known []agent.Config
}

// NewMeasured returns a problem of real runs. The tasks are those of m.Search.
func NewMeasured(family string, seed int64, space agent.Space, tasks []Task, m Measured) *Problem {
	p := &Problem{Family: family, Seed: seed, Space: space, Tasks: tasks, Measured: &m, codec: newCodec(space)}
	p.best = sync.OnceValue(func() optimum {
		best := optimum{p.codec.encode(p.Default()), p.True(p.Default())}
		for _, c := range m.Known {
			if score := p.True(c); score > best.score {
				best = optimum{p.codec.encode(c), score}
			}
		}
		return best
	})
	return p
}

// OnSearch returns the mean score of a config on the search tasks, which a search can
// raise by chance, because the true score is that on other tasks.
func (p *Problem) OnSearch(c agent.Config) float64 {
	if p.Measured != nil {
		return p.Measured.mean(c, p.Measured.Search)
	}
	return p.landscape.mean(p.codec.encode(c), p.search)
}

func (m *Measured) mean(c agent.Config, places []int) float64 {
	all, sum := m.All(c), 0.0
	for _, i := range places {
		sum += all[i]
	}
	return sum / float64(len(places))
}

// Climb searches a space offline for the highest score, which is a function of the config
// alone. It starts from the given config and from the best of samples uniform configs,
// whose number is starts. kicks is the number of perturbations in a row that may fail.
func Climb(s agent.Space, from agent.Config, score func(agent.Config) float64, seed int64, samples, starts, kicks int) (agent.Config, float64) {
	codec := newCodec(s)
	c := climber{codec, func(at point) float64 { return score(codec.decode(at)) }, rand.New(rand.NewPCG(uint64(seed), 0xc11b))}
	o := c.run(effort{samples, starts, kicks}, codec.encode(from))
	return codec.decode(o.at), o.score
}

// Uniform returns a uniform config of a space.
func Uniform(s agent.Space, rng *rand.Rand) agent.Config {
	codec := newCodec(s)
	return codec.decode(codec.random(rng))
}
