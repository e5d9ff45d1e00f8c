package mutate

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"evolve/mutate/operator"
	"evolve/runtime/agent"
)

// demonstrated finds the tasks that a config demonstrates. An evaluation of such a task would
// credit the config for copying the answer, so it is not evidence.
type demonstrated struct {
	params []string
	tasks  map[string][]int // keyed by the text of the request; the lists include the other tasks in the cluster
}

// newDemonstrated returns a value of type demonstrated for the configs of a space and the
// given tasks. In a space without demonstrations, this value finds no tasks.
func newDemonstrated(space agent.Space, tasks []Task) demonstrated {
	d := demonstrated{tasks: map[string][]int{}}
	for _, p := range space.Params {
		if operator.Demonstrates(p) {
			d.params = append(d.params, p.Name)
		}
	}
	if d.params == nil {
		return d
	}
	clusters := map[string][]int{}
	for j, t := range tasks {
		if t.Cluster != "" {
			clusters[t.Cluster] = append(clusters[t.Cluster], j)
		}
	}
	for j, t := range tasks {
		if text := strings.TrimSpace(t.Request); text != "" {
			d.tasks[text] = append(append(d.tasks[text], j), clusters[t.Cluster]...)
		}
	}
	return d
}

// of returns the indices of the tasks that a config demonstrates. Some may occur twice.
func (d demonstrated) of(c agent.Config) []int {
	var out []int
	for _, name := range d.params {
		list, _ := agent.ParseDemonstrations(c.String(name))
		for _, one := range list {
			out = append(out, d.tasks[strings.TrimSpace(one.Task)]...)
		}
	}
	return out
}

// Undemonstrated returns the tasks that none of the given configs demonstrates.
func Undemonstrated(space agent.Space, tasks []Task, configs ...agent.Config) []Task {
	d, gone := newDemonstrated(space, tasks), map[int]bool{}
	for _, c := range configs {
		for _, j := range d.of(c) {
			gone[j] = true
		}
	}
	var out []Task
	for j, t := range tasks {
		if !gone[j] {
			out = append(out, t)
		}
	}
	return out
}

// closed is the value in variantStats.repeats that marks a task that the variant
// demonstrates.
const closed = math.MaxUint16

// demonstrates reports whether a variant demonstrates a task.
func (a *variantStats) demonstrates(task int) bool { return a.repeats[task] == closed }

// stock fills the pool of demonstrations. Search tasks with labelled answers are added at
// once, one from each domain in turn; other tasks are added with the agent's own answer
// once it has passed.
func (s *search) stock() {
	if s.demonstrated.params == nil || len(s.demonstrated.tasks) == 0 {
		return
	}
	p, _ := s.space.Lookup(s.demonstrated.params[0])
	// At most one task in four is demonstrated, so at least three in four remain for
	// evaluating a config.
	s.demoPool = &operator.Pool{Most: min(operator.MostDemonstrations, len(s.tasks)/4)}
	order := rand.New(rand.NewPCG(s.seed, 0xde305)).Perm(len(s.tasks))
	turn, taken := make([]int, len(s.tasks)), map[string]int{}
	for _, j := range order {
		turn[j] = taken[s.tasks[j].Domain]
		taken[s.tasks[j].Domain]++
	}
	slices.SortStableFunc(order, func(a, b int) int { return turn[a] - turn[b] })
	for _, j := range order {
		t := s.tasks[j]
		s.demoPool.Add(p, operator.Solved{Task: t.ID, Domain: t.Domain, Demonstration: agent.Demonstration{Task: t.Request, Answer: t.Answer}})
	}
	for i := range s.codec.settings {
		if operator.Demonstrates(s.codec.settings[i].param) {
			s.codec.settings[i].pool = s.demoPool
		}
	}
}

// solve adds to the pool a task that the agent has solved.
func (s *search) solve(task int, answer string) {
	if s.demoPool == nil || answer == "" {
		return
	}
	p, _ := s.space.Lookup(s.demonstrated.params[0])
	t := s.tasks[task]
	s.demoPool.Add(p, operator.Solved{Task: t.ID, Domain: t.Domain, Demonstration: agent.Demonstration{Task: t.Request, Answer: answer}})
}

// drawDemonstrations replaces the demonstrations of a random config with drawn ones.
func (s *search) drawDemonstrations(c agent.Config) agent.Config {
	for _, name := range s.demonstrated.params {
		p, _ := s.space.Lookup(name)
		if _, active := c[name]; active && s.demoPool.Shows() {
			c[name] = s.demoPool.Draw(p, s.rng)
		}
	}
	return c
}
