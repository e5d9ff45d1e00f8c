package ablation

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"evolve/bench"
	"evolve/mutate"
	"evolve/mutate/tokens"
	"evolve/runtime/agent"
)

// world is an agent with known success: the probability that a config passes a task
// depends on the skill of the config and the ease of the task.
type world struct {
	space            agent.Space
	champion, winner agent.Config
	tasks            []mutate.Task
	ease             []float64
	// skill is added to the probability of success.
	skill func(agent.Config) float64
	// chance, if set, replaces skill and ease.
	chance func(c agent.Config, task int) float64
	// certain worlds pass a task when the probability is above one half.
	certain bool
	noise   uint64
	// smaller produces the finer parts of code.
	smaller func(param, base, text string) []tokens.Attempt
}

// switches returns a world with n switches, all off in the champion, all on in the
// winner.
func switches(n, tasks int, skill func(agent.Config) float64) *world {
	w := &world{skill: skill}
	w.champion, w.winner = agent.Config{}, agent.Config{}
	for i := range n {
		name := fmt.Sprintf("p%d", i)
		w.space.Params = append(w.space.Params, agent.Param{Name: name, Kind: agent.Bool, Default: false})
		w.champion[name], w.winner[name] = false, true
	}
	rng := rand.New(rand.NewPCG(uint64(n), uint64(tasks)))
	for j := range tasks {
		w.tasks = append(w.tasks, mutate.Task{ID: fmt.Sprintf("t%d", j), Weight: 1})
		w.ease = append(w.ease, .4*rng.Float64()-.2)
	}
	return w
}

func on(c agent.Config, names ...string) bool {
	for _, n := range names {
		if !c.Bool(n, false) {
			return false
		}
	}
	return true
}

// passes returns the probability that a config passes a task.
func (w *world) passes(c agent.Config, task int) float64 {
	if w.chance != nil {
		return w.chance(c, task)
	}
	return w.skill(c) + w.ease[task]
}

// truth returns the expected score over the tasks.
func (w *world) truth(c agent.Config) float64 {
	sum := 0.
	for j := range w.tasks {
		sum += math.Max(0, math.Min(1, w.passes(c, j)))
	}
	return sum / float64(len(w.tasks))
}

// answer returns the fixed score of a config on a task and repeat.
func (w *world) answer(c agent.Config, task, repeat int) float64 {
	p := w.passes(c, task)
	if w.certain {
		if p > .5 {
			return 1
		}
		return 0
	}
	var id uint64
	for _, b := range []byte(c.ID()[:12]) {
		id = id*131 + uint64(b)
	}
	rng := rand.New(rand.NewPCG(w.noise^id, uint64(task)<<20|uint64(repeat)))
	if rng.Float64() < p {
		return 1
	}
	return 0
}

func (w *world) observe(t mutate.Trial) mutate.Observation {
	task := 0
	if _, err := fmt.Sscanf(t.Task, "t%d", &task); err != nil {
		return mutate.Observation{Trial: t}
	}
	return mutate.Observation{Trial: t, Scored: true, Score: w.answer(t.Config, task, t.Repeat)}
}

// known returns evaluations like those of a search: n each for winner and champion, spread
// over the tasks.
func (w *world) known(n int) []mutate.Observation {
	var out []mutate.Observation
	for i := range n {
		for _, c := range []agent.Config{w.winner, w.champion} {
			out = append(out, w.observe(mutate.Trial{
				Variant: c.ID(), Config: c, Task: w.tasks[i%len(w.tasks)].ID, Repeat: i / len(w.tasks), Stage: bench.StageSearch,
			}))
		}
	}
	return out
}

// with returns the known observations followed by one more.
func with(known iter.Seq[mutate.Observation], o mutate.Observation) iter.Seq[mutate.Observation] {
	return slices.Values(append(slices.Collect(known), o))
}

func (w *world) options(budget, known int, seed int64) Options {
	w.noise = uint64(seed)
	o := Options{Space: w.space, Champion: w.champion, Winner: w.winner, Tasks: w.tasks, Budget: budget, Seed: seed, Known: slices.Values(w.known(known))}
	if w.certain {
		o.MaxRepeats = 1
	}
	return o
}

// run drives an ablation to its end and passes it the results in order.
func run(t testing.TB, w *world, o Options) (Result, []mutate.Trial) {
	t.Helper()
	a, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	var asked []mutate.Trial
	for {
		trial, status := a.Ask()
		switch status {
		case mutate.Ready:
			asked = append(asked, trial)
			a.Tell(w.observe(trial))
			continue
		case mutate.Wait:
			t.Fatal("it waits though everything was told")
		case mutate.Done:
		}
		return a.Result(), asked
	}
}

// weighted returns a skill of .4 plus the weights of the switches that are on.
func weighted(weights map[string]float64) func(agent.Config) float64 {
	return func(c agent.Config) float64 {
		s := .4
		for name, w := range weights {
			if on(c, name) {
				s += w
			}
		}
		return math.Max(0, s)
	}
}
