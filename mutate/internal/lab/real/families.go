package real

import (
	_ "embed" // the known configs are part of the package
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	"evolve/mutate/internal/lab/problem"
	"evolve/runtime/agent"
)

// searched and heldOut are the numbers of tasks for the search and for the confirmation.
// The true score is measured on all other tasks.
const searched, heldOut = 75, 75

// world is an agent together with the tasks of a data set.
type world struct {
	name, about string
	space       agent.Space
	domains     []string // of the tasks
	run         func(c agent.Config, task int) float64
	seen        lazily[agent.ConfigID, []float64]
}

// Families returns the families of real problems whose data is available in the given
// folders. Every seed divides the tasks differently.
func Families(f Folders) ([]problem.Family, error) {
	worlds, err := open(f)
	if err != nil {
		return nil, err
	}
	var known map[string][]agent.Config
	if err := json.Unmarshal(knownConfigs, &known); err != nil {
		return nil, fmt.Errorf("known.json: %w", err)
	}
	var list []problem.Family
	for _, w := range worlds {
		var good []agent.Config
		for _, c := range known[w.name] {
			parsed, problems := w.space.Parse(c)
			if len(problems) > 0 {
				return nil, fmt.Errorf("known.json: %s: %v", w.name, problems)
			}
			good = append(good, parsed)
		}
		list = append(list, problem.Family{Name: w.name, About: w.about, Make: func(seed int64) *problem.Problem { return w.problem(seed, good) }})
	}
	return list, nil
}

// knownConfigs are the best configs that BenchmarkKnown found, by family.
//
//go:embed known.json
var knownConfigs []byte

func open(f Folders) ([]*world, error) {
	var list []*world
	if f.Intents != "" {
		data, err := readIntents(f.Intents)
		if err != nil {
			return nil, err
		}
		list = append(list, routing(data))
	}
	if f.Collection != "" {
		data, err := readCollection(f.Collection)
		if err != nil {
			return nil, err
		}
		list = append(list, retrieval(data))
	}
	return list, nil
}

func routing(data intents) *world {
	r := newRouter(data)
	w := &world{name: "routing", about: "a router of utterances to one of many intents or none; scores are 0 or 1", space: routerSpace()}
	for _, u := range data.tasks {
		w.domains = append(w.domains, u.domain)
	}
	w.run = func(c agent.Config, task int) float64 {
		if u := data.tasks[task]; r.route(c, u.text) != u.intent {
			return 0
		}
		return 1
	}
	return w
}

func retrieval(data collection) *world {
	r := &retriever{data: data}
	w := &world{name: "retrieval", about: "a retriever over a test collection; scores are nDCG at 10", space: retrieverSpace()}
	w.domains = make([]string, len(data.queries))
	w.run = func(c agent.Config, task int) float64 {
		q := data.queries[task]
		return q.gain(r.retrieve(c, q.text))
	}
	return w
}

// all returns the scores of a config on all tasks.
func (w *world) all(c agent.Config) []float64 {
	return w.seen.get(c.ID(), func() []float64 {
		scores := make([]float64, len(w.domains))
		for i := range scores {
			scores[i] = w.run(c, i)
		}
		return scores
	})
}

func (w *world) problem(seed int64, known []agent.Config) *problem.Problem {
	places := rand.New(rand.NewPCG(uint64(seed), 0x5eed)).Perm(len(w.domains))
	// If there are few tasks, each of the three parts gets a third of them.
	part := min(searched, len(places)/3)
	m := problem.Measured{
		Run: w.run, All: w.all, Known: known,
		Search: places[:part], Holdout: places[part : part+min(heldOut, part)], Truth: places[part+min(heldOut, part):],
	}
	slices.Sort(m.Search)
	var tasks []problem.Task
	for _, i := range m.Search {
		tasks = append(tasks, problem.Task{ID: fmt.Sprint(w.name, "-", i), Domain: w.domains[i], Weight: 1})
	}
	return problem.NewMeasured(w.name, seed, w.space, tasks, m)
}
