package ablation

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"evolve/mutate"
	"evolve/runtime/agent"
)

// searched is a world with a real search, which provides the winner and the evidence.
type searched struct {
	*world
	// idle lists the parameters without an effect.
	idle []string
	// quirk[param][task] is the effect of a parameter on a single task, 0 on average.
	quirk map[string][]float64
}

// scenario describes worlds.
type scenario struct {
	name    string
	weights map[string]float64
	// both is the effect that two parameters have only together.
	both   float64
	idle   int
	tasks  int
	search int
	// If certain is set, the world has no randomness. If quirk is above 0, a parameter
	// may suit some tasks and not others.
	certain bool
	quirk   float64
}

func (s scenario) make(t testing.TB, seed int64) (*searched, []mutate.Observation, bool) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(seed), 77))
	var names []string
	for name := range s.weights {
		names = append(names, name)
	}
	slices.Sort(names)
	if s.both != 0 {
		names = append(names, "pair0", "pair1")
	}
	out := &searched{world: &world{certain: s.certain, noise: uint64(seed)}, quirk: map[string][]float64{}}
	for i := range s.idle {
		name := fmt.Sprintf("idle%d", i)
		out.idle, names = append(out.idle, name), append(names, name)
	}
	out.skill = func(c agent.Config) float64 {
		v := .35
		for name, w := range s.weights {
			if on(c, name) {
				v += w
			}
		}
		if s.both != 0 && on(c, "pair0", "pair1") {
			v += s.both
		}
		return v
	}
	out.champion = agent.Config{}
	for _, name := range names {
		out.space.Params = append(out.space.Params, agent.Param{Name: name, Kind: agent.Bool, Default: false})
		out.champion[name] = false
		q := make([]float64, s.tasks)
		for j := range q {
			q[j] = s.quirk * rng.NormFloat64()
		}
		mean := 0.
		for _, v := range q {
			mean += v / float64(len(q))
		}
		for j := range q {
			q[j] -= mean
		}
		out.quirk[name] = q
	}
	for j := range s.tasks {
		out.tasks = append(out.tasks, mutate.Task{ID: fmt.Sprintf("t%d", j), Weight: 1})
		out.ease = append(out.ease, 1.2*rng.Float64()-.6)
		if !s.certain {
			out.ease[j] /= 3
		}
	}
	o := mutate.Options{Space: out.space, Champion: out.champion, Tasks: out.tasks, Budget: s.search, Seed: seed}
	if s.certain {
		o.MaxRepeats = 1
	}
	search, err := mutate.New(o)
	if err != nil {
		t.Fatal(err)
	}
	var known []mutate.Observation
	for {
		trial, status := search.Ask()
		if status != mutate.Ready {
			break
		}
		ob := out.observe(trial)
		known = append(known, ob)
		search.Tell(ob)
	}
	rec := search.Recommend()
	if len(rec.Finalists) == 0 || rec.Finalists[0].Gain < rec.Finalists[0].SD {
		return nil, nil, false
	}
	out.winner = rec.Finalists[0].Config
	return out, known, true
}

func (s *searched) chance(c agent.Config, task int) float64 {
	p := s.skill(c) + s.ease[task]
	for name, q := range s.quirk {
		if on(c, name) {
			p += q[task]
		}
	}
	return math.Max(.02, math.Min(.98, p))
}

func (s *searched) answer(c agent.Config, task, repeat int) float64 {
	p := s.chance(c, task)
	if s.certain {
		if p > .5 {
			return 1
		}
		return 0
	}
	var id uint64
	for _, b := range []byte(c.ID()[:12]) {
		id = id*131 + uint64(b)
	}
	rng := rand.New(rand.NewPCG(s.noise^id, uint64(task)<<20|uint64(repeat)))
	if rng.Float64() < p {
		return 1
	}
	return 0
}

func (s *searched) observe(t mutate.Trial) mutate.Observation {
	task := 0
	if _, err := fmt.Sscanf(t.Task, "t%d", &task); err != nil {
		return mutate.Observation{Trial: t}
	}
	return mutate.Observation{Trial: t, Scored: true, Score: s.answer(t.Config, task, t.Repeat)}
}

// truth returns the expected score over the tasks.
func (s *searched) truth(c agent.Config) float64 {
	sum := 0.
	for j := range s.tasks {
		if s.certain {
			sum += s.answer(c, j, 0)
			continue
		}
		sum += s.chance(c, j)
	}
	return sum / float64(len(s.tasks))
}

type rate struct {
	idle, idleGone, true, trueKept, lost, gain float64
	spent, wins                                float64
}

func (s scenario) measure(t testing.TB, budgets []int, seeds int) []rate {
	out := make([]rate, len(budgets))
	for seed := range int64(seeds) {
		w, known, ok := s.make(t, seed+1)
		if !ok {
			continue
		}
		for b, budget := range budgets {
			out[b].add(t, w, known, budget, seed)
		}
	}
	return out
}

func (r *rate) add(t testing.TB, w *searched, known []mutate.Observation, budget int, seed int64) {
	r.wins++
	o := Options{Space: w.space, Champion: w.champion, Winner: w.winner, Tasks: w.tasks, Budget: budget, Seed: seed, Known: slices.Values(known), ByModel: budget == 0}
	if w.certain {
		o.MaxRepeats = 1
	}
	a, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	for {
		trial, status := a.Ask()
		if status != mutate.Ready {
			break
		}
		a.Tell(w.observe(trial))
	}
	res := a.Result()
	for name, v := range w.winner {
		if v == w.champion[name] {
			continue
		}
		without := w.winner.Clone()
		without[name] = false
		switch e := w.truth(w.winner) - w.truth(without); {
		case slices.Contains(w.idle, name):
			r.idle++
			if res.Config[name] == w.champion[name] {
				r.idleGone++
			}
		case e >= .03:
			r.true++
			if res.Config[name] == v {
				r.trueKept++
			}
		}
	}
	r.gain += w.truth(w.winner) - w.truth(w.champion)
	r.lost += w.truth(w.winner) - w.truth(res.Config)
	r.spent += float64(res.Evaluations)
}

func scenarios() []scenario {
	six := map[string]float64{"a": .12, "b": .06, "c": .04}
	return []scenario{
		{name: "two big of 12", weights: map[string]float64{"a": .2, "b": .1}, idle: 10, tasks: 60, search: 700},
		{name: "small ones of 30", weights: map[string]float64{"a": .08, "b": .06, "c": .05, "d": .04}, idle: 26, tasks: 80, search: 900},
		{name: "short search, 22", weights: six, idle: 20, tasks: 60, search: 300},
		{name: "long search, 45", weights: six, idle: 42, tasks: 80, search: 2000},
		{name: "a pair of 14", weights: map[string]float64{"a": .08}, both: .2, idle: 11, tasks: 60, search: 700},
		{name: "one of 3", weights: map[string]float64{"a": .15}, idle: 2, tasks: 40, search: 300},
		{name: "quirky, 20", weights: six, idle: 17, tasks: 60, search: 900, quirk: .1},
		{name: "without chance, 12", weights: six, idle: 9, tasks: 60, search: 700, certain: true},
		{name: "certain, quirky, 20", weights: six, idle: 17, tasks: 100, search: 1500, certain: true, quirk: .1},
	}
}

// TestOfASearchedWinnerIdleChangesGo is the short version of the benchmark.
func TestOfASearchedWinnerIdleChangesGo(t *testing.T) {
	s := scenario{name: "two of ten", weights: map[string]float64{"a": .3, "b": .2}, idle: 8, tasks: 40, search: 500}
	for i, r := range s.measure(t, []int{0, 500}, 3) {
		t.Log(r)
		if r.wins == 0 || r.idle == 0 {
			t.Fatal("nothing was found")
		}
		if r.idleGone < .3*r.idle || i == 1 && (r.idleGone < .8*r.idle || r.trueKept < .8*r.true) {
			t.Errorf("of %.0f idle changes %.0f went, of %.0f true ones %.0f stayed", r.idle, r.idleGone, r.true, r.trueKept)
		}
	}
}

// BenchmarkSearched reduces winners of real searches. It prints the share of idle changes
// that are reverted, the share of true changes worth at least 3 points that stay, and the
// share of the gain that is lost. Run it with -benchtime 1x.
func BenchmarkSearched(b *testing.B) {
	budgets := []int{0, 500, 2000}
	for _, s := range scenarios() {
		b.Run(s.name, func(b *testing.B) {
			for range b.N {
				for i, r := range s.measure(b, budgets, 5) {
					fmt.Printf("%s, budget %4d: %s\n", s.name, budgets[i], r)
				}
			}
		})
	}
}

func (r rate) String() string {
	return fmt.Sprintf("of idle changes (%.1f a winner) went %.2f, of %.0f true ones stayed %.2f; of a gain of %.3f went %+.3f; %.0f evaluations",
		r.idle/r.wins, r.idleGone/max(1, r.idle), r.true, r.trueKept/max(1, r.true), r.gain/r.wins, r.lost/r.wins, r.spent/r.wins)
}
