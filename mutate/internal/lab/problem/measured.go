package problem

import (
	"math/rand/v2"
	"sync"

	"evolve/runtime/agent"
)

// Measured is the part of a problem that runs a real agent on the tasks of a data set. Its
// runs have no randomness: a config always gets the same score on a task.
type Measured struct {
	// Run returns the score, in [0,1], of a config on the task at a position in the data.
	// All returns the scores of a config on all tasks in the data.
	Run func(c agent.Config, place int) float64
	All func(agent.Config) []float64
	// Search, Holdout and Truth are disjoint parts of the data, given as positions. The
	// tasks of the problem are those in Search.
	Search, Holdout, Truth []int
	// Known are good configs that an offline search over the whole data found.
	Known []agent.Config
}

// NewMeasured returns a problem that consists of real runs. Its tasks are those at the
// positions in m.Search.
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

// OnSearch returns the mean score of a config on the search tasks. A search can raise this
// score by chance, whereas the true score is measured on other tasks.
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

// Climb searches a space offline for the config with the highest score; the score must
// depend only on the config. It draws configs uniformly (samples is their number), and
// climbs from the given config and from the best of the drawn configs (starts is their
// number). kicks is the number of consecutive perturbations that may fail.
func Climb(s agent.Space, from agent.Config, score func(agent.Config) float64, seed int64, samples, starts, kicks int) (agent.Config, float64) {
	codec := newCodec(s)
	c := climber{codec, func(at point) float64 { return score(codec.decode(at)) }, rand.New(rand.NewPCG(uint64(seed), 0xc11b))}
	o := c.run(effort{samples, starts, kicks}, codec.encode(from))
	return codec.decode(o.at), o.score
}

// Uniform returns a config drawn uniformly from a space.
func Uniform(s agent.Space, rng *rand.Rand) agent.Config {
	codec := newCodec(s)
	return codec.decode(codec.random(rng))
}
