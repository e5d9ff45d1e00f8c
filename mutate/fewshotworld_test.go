package mutate

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"evolve/mutate/irt"
	"evolve/runtime/agent"
)

// fewShotWorld is a synthetic problem modelled on a small language model that labels
// texts: it fails without examples, prefers one label, and follows the labels of its
// examples, most of all the labels of the last examples (Zhao et al., "Calibrate before
// use", 2021). A score is 0 or 1.
type fewShotWorld struct {
	seed   uint64
	labels []string
	tasks  []fewShotTask // search tasks, followed by the same number of others
	search []Task
	space  agent.Space
	// lean is the model's own preference for each label, pull is the weight of an
	// example, and recent is the factor by which an example counts more than the example
	// before it.
	lean         []float64
	pull, recent float64
	// skill is the most that the examples can teach.
	skill float64
	// forms are the effects of the answer forms.
	forms []float64
}

type fewShotTask struct {
	request string
	label   int
	ease    float64
	// The number clear is how much the task teaches as an example.
	clear float64
}

const fewShotTasks = 28

func newFewShotWorld(seed uint64) *fewShotWorld {
	rng := rand.New(rand.NewPCG(seed, 0xfe3))
	w := &fewShotWorld{
		seed: seed, pull: 0.3 + 0.9*rng.Float64(), recent: 1 + 0.6*rng.Float64(), skill: 0.8 + 1.2*rng.Float64(),
		forms: []float64{0, 0.5 * rng.NormFloat64(), -1 + rng.NormFloat64(), -2 + rng.NormFloat64()},
	}
	for k := range 2 + rng.IntN(3) {
		w.labels = append(w.labels, fmt.Sprintf("label%d", k))
		w.lean = append(w.lean, 1.3*rng.NormFloat64())
	}
	for j := range 2 * fewShotTasks {
		t := fewShotTask{label: rng.IntN(len(w.labels)), ease: 0.8 * rng.NormFloat64(), clear: 0.35 * rng.NormFloat64()}
		for range 7 {
			t.request += fmt.Sprintf("w%d.%d ", t.label, rng.IntN(60))
		}
		t.request += fmt.Sprintf("n%d", j)
		w.tasks = append(w.tasks, t)
		if j < fewShotTasks {
			w.search = append(w.search, Task{ID: fmt.Sprintf("t%d", j), Request: t.request, Answer: w.labels[t.label]})
		}
	}
	w.space = agent.Space{Params: []agent.Param{
		{Name: "strategy", Kind: agent.Text, MaxChars: 2000, Default: ""},
		{Name: "demonstrations", Kind: agent.Text, Use: agent.Demonstrations, MaxChars: 4000, Default: ""},
		{Name: "form", Kind: agent.Choice, Values: []any{"free", "line", "json", "reasoned"}, Default: "free"},
		{Name: "retries", Kind: agent.Int, Max: 3, Default: int64(1), When: map[string][]any{"form": {"line", "json", "reasoned"}}},
		{Name: "temperature", Kind: agent.Float, Max: 1, Default: 0.2},
	}}
	return w
}

// chance returns the probability that a config passes a task.
func (w *fewShotWorld) chance(c agent.Config, j int) float64 {
	t := w.tasks[j]
	list, _ := agent.ParseDemonstrations(c.String("demonstrations"))
	push, skill, weight := slices.Clone(w.lean), 0.0, 0.0
	for n, d := range list {
		i := slices.IndexFunc(w.tasks, func(t fewShotTask) bool { return t.request == d.Task })
		if i < 0 {
			continue
		}
		if i == j {
			return 0.98
		}
		x := math.Pow(w.recent, float64(n-len(list)+1))
		push[w.tasks[i].label] += w.pull * x * 1.5
		skill += w.tasks[i].clear
		weight++
	}
	form := slices.Index([]string{"free", "line", "json", "reasoned"}, c.String("form"))
	formed := 1 - math.Exp(-0.9*weight)*0.97
	formed *= irt.Sigmoid(3+w.forms[form]) / irt.Sigmoid(3)
	skill += w.skill * (1 - math.Exp(-weight/3)) * 2
	sum := 0.0
	for k, p := range push {
		if k == t.label {
			p += skill + t.ease
		}
		sum += math.Exp(p)
	}
	right := math.Exp(push[t.label]+skill+t.ease) / sum
	warm := c.Float("temperature", 0)
	return formed * (right*(1-0.3*warm) + 0.3*warm/float64(len(w.labels)))
}

// truth returns the expected score on the other tasks.
func (w *fewShotWorld) truth(c agent.Config) float64 {
	sum := 0.0
	for j := range fewShotTasks {
		sum += w.chance(c, fewShotTasks+j)
	}
	return sum / fewShotTasks
}

// run drives a search without an author and returns its recommendation.
func (w *fewShotWorld) run(t testing.TB, o Options) Recommendation {
	o.Space, o.Champion, o.Tasks, o.Seed = w.space, w.space.Default(), w.search, int64(w.seed)
	s := newSearch(t, o)
	rng := rand.New(rand.NewPCG(w.seed, 0xa0))
	for {
		tr, status := s.Ask()
		if status != Ready {
			return s.Recommend()
		}
		ob := Observation{Trial: tr, Scored: true, Outcome: agent.OK}
		if rng.Float64() < w.chance(tr.Config, s.taskIndex[tr.Task]) {
			ob.Score = 1
		}
		s.Tell(ob)
	}
}

// randomSets draws random sets of examples from one half of the tasks and evaluates them
// on the other half. It returns the true score of the best set.
func (w *fewShotWorld) randomSets(budget int) float64 {
	rng := rand.New(rand.NewPCG(w.seed, 0xb0))
	best, truth := -1., 0.
	for budget > 0 {
		var list []agent.Demonstration
		for _, j := range rng.Perm(fewShotTasks / 2)[:1+rng.IntN(8)] {
			list = append(list, agent.Demonstration{Task: w.tasks[j].request, Answer: w.labels[w.tasks[j].label]})
		}
		c := w.space.Default()
		c["demonstrations"] = agent.FormatDemonstrations(list)
		sum := 0.
		for j := range fewShotTasks / 2 {
			if budget--; budget >= 0 && rng.Float64() < w.chance(c, fewShotTasks/2+j) {
				sum++
			}
		}
		if sum > best {
			best, truth = sum, w.truth(c)
		}
	}
	return truth
}

// TestFewShots checks that if only a few good demonstrations help, a short search finds
// most of what they can give.
func TestFewShots(t *testing.T) {
	const worlds = 30
	sum, examples := 0., 0
	for seed := range uint64(worlds) {
		w := newFewShotWorld(5000 + seed)
		rec := w.run(t, Options{Budget: 60})
		sum += w.truth(rec.Best.Config)
		list, _ := agent.ParseDemonstrations(rec.Best.Config.String("demonstrations"))
		examples += len(list)
	}
	if sum/worlds < 0.6 || examples < 4*worlds {
		t.Errorf("the recommended configs score %.3f on average, with %d examples in %d problems", sum/worlds, examples, worlds)
	}
	t.Logf("%.3f on average, %d examples in %d problems", sum/worlds, examples, worlds)
}

var fewShotWorlds = flag.Int("few-shot-worlds", 0, "fresh problems of BenchmarkFewShot")

// BenchmarkFewShot prints the true score of the recommended config beside the true scores
// of random sets of examples that were found with the same number of evaluations and with
// twice as many.
func BenchmarkFewShot(b *testing.B) {
	if *fewShotWorlds == 0 {
		b.Skip("say -few-shot-worlds")
	}
	for _, budget := range []int{60, 120, 250} {
		var mine, random, double, zero, variants, shown float64
		var scores []float64
		for seed := range uint64(*fewShotWorlds) {
			w := newFewShotWorld(2000 + seed)
			rec := w.run(b, Options{Budget: budget})
			config := rec.Best.Config
			v := w.truth(config)
			mine += v
			variants += float64(rec.Variants)
			random += w.randomSets(budget)
			double += w.randomSets(2 * budget)
			zero += w.truth(w.space.Default())
			list, _ := agent.ParseDemonstrations(config.String("demonstrations"))
			shown += float64(len(list))
			scores = append(scores, v)
		}
		n := float64(*fewShotWorlds)
		slices.Sort(scores)
		fmt.Printf("\n%d evaluations: default %.3f, search %.3f (lowest tenth %.3f) with %.1f examples, %.0f variants; random sets %.3f, with twice the evaluations %.3f\n",
			budget, zero/n, mine/n, scores[len(scores)/10], shown/n, variants/n, random/n, double/n)
	}
}
