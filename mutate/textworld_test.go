package mutate

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"evolve/mutate/irt"
	"evolve/runtime/agent"
)

// textWorld is a synthetic agent with a language model. Its ability on a task depends on
// the lines of its instruction, on the demonstrations that it shows, most of all those from
// the task's domain, and on two interacting numbers, one of which has an optimum that moves
// with a line.
type textWorld struct {
	seed    uint64
	lines   []string
	effects []float64 // of the lines
	heavy   int       // the line whose presence shifts the best warmth
	warmth  [2]float64
	budget  float64
	tasks   []worldTask // search tasks, followed by an equal number of others
	search  []Task
	space   agent.Space
}

type worldTask struct {
	id, domain, request, answer string
	ease                        float64
	// clear is the quality of the task as a demonstration.
	clear float64
}

const (
	worldTasks   = 48
	worldDomains = 4
)

func newTextWorld(seed uint64) *textWorld {
	rng := rand.New(rand.NewPCG(seed, 0x7e47))
	w := &textWorld{seed: seed, budget: 0.2 + 0.6*rng.Float64(), warmth: [2]float64{0.15 + 0.3*rng.Float64(), 0.6 + 0.3*rng.Float64()}}
	topics := strings.Fields("copy the words of question into reply give one number no unit name label only think before you answer check list twice be brief use json quote source state unsure skip preamble refuse nothing")
	for k := range 14 {
		words := make([]string, 6)
		for i := range words {
			words[i] = topics[rng.IntN(len(topics))]
		}
		w.lines = append(w.lines, fmt.Sprintf("Rule %c: %s.", 'A'+k, strings.Join(words, " ")))
		effect := 0.1 * rng.NormFloat64()
		switch {
		case k < 4:
			effect = 0.3 + 0.5*rng.Float64()
		case k < 8:
			effect = -0.2 - 0.4*rng.Float64()
		}
		w.effects = append(w.effects, effect)
	}
	w.heavy = rng.IntN(4)
	for j := range 2 * worldTasks {
		d := rng.IntN(worldDomains)
		words := make([]string, 7)
		for i := range words {
			words[i] = fmt.Sprintf("w%d.%d", d, rng.IntN(30))
		}
		t := worldTask{
			id: fmt.Sprintf("t%d", j), domain: fmt.Sprintf("d%d", d), request: strings.Join(words, " "), answer: fmt.Sprintf("label %d of %d", rng.IntN(5), d),
			ease: -0.8 + rng.NormFloat64(), clear: 0.35 * rng.NormFloat64(),
		}
		w.tasks = append(w.tasks, t)
		if j < worldTasks {
			w.search = append(w.search, Task{ID: t.id, Domain: t.domain, Request: t.request, Answer: t.answer})
		}
	}
	w.space = agent.Space{Params: []agent.Param{
		{Name: "strategy", Kind: agent.Text, MaxChars: 2000, Default: "Answer the question."},
		{Name: "demonstrations", Kind: agent.Text, Use: agent.Demonstrations, MaxChars: 4000, Default: ""},
		{Name: "warmth", Kind: agent.Float, Max: 1, Default: 0.9},
		{Name: "budget", Kind: agent.Float, Max: 1, Default: 0.05},
		{Name: "retries", Kind: agent.Int, Max: 4, Default: int64(1)},
	}}
	return w
}

// ability returns the part of the ability that does not depend on the task, and the part
// that comes from the demonstrations, keyed by domain.
func (w *textWorld) ability(c agent.Config) (all float64, domains map[string]float64) {
	text := strings.Split(c.String("strategy"), "\n")
	best := w.warmth[0]
	for k, l := range w.lines {
		if slices.Contains(text, l) {
			all += w.effects[k]
			if k == w.heavy {
				best = w.warmth[1]
			}
		}
	}
	a, b := c.Float("warmth", 0)-best, c.Float("budget", 0)-w.budget
	all -= 2*a*a + 2*b*b + 1.5*math.Abs(a*b)
	domains = map[string]float64{}
	list, _ := agent.ParseDemonstrations(c.String("demonstrations"))
	for n, d := range list {
		i := slices.IndexFunc(w.tasks, func(t worldTask) bool { return t.request == d.Task })
		if i < 0 {
			continue
		}
		t := w.tasks[i]
		if _, ok := domains[t.domain]; !ok {
			domains[t.domain] = 0.7
			all += 0.1
		}
		domains[t.domain] += t.clear
		all -= 0.04 * float64(n) // a longer prompt distracts
	}
	return all, domains
}

// chance returns the probability that a config passes a task. A config copies the answer to
// a task that it demonstrates.
func (w *textWorld) chance(c agent.Config, j int) float64 {
	t := w.tasks[j]
	list, _ := agent.ParseDemonstrations(c.String("demonstrations"))
	if slices.ContainsFunc(list, func(d agent.Demonstration) bool { return d.Task == t.request }) {
		return 0.98
	}
	all, domains := w.ability(c)
	return irt.Sigmoid(all + domains[t.domain] + t.ease)
}

// truth returns the expected score on the tasks that are not search tasks.
func (w *textWorld) truth(c agent.Config) float64 {
	all, domains := w.ability(c)
	sum := 0.0
	for _, t := range w.tasks[worldTasks:] {
		sum += irt.Sigmoid(all + domains[t.domain] + t.ease)
	}
	return sum / worldTasks
}

// best returns the highest true score that it finds by climbing from several starts.
func (w *textWorld) best() float64 {
	rng := rand.New(rand.NewPCG(w.seed, 0xbe57))
	top := 0.0
	for range 4 {
		c := w.space.Default()
		at := w.truth(c)
		for range 4000 {
			next := c.Clone()
			switch rng.IntN(4) {
			case 0:
				next["strategy"] = w.edited(c.String("strategy"), rng)
			case 1, 2:
				list, _ := agent.ParseDemonstrations(c.String("demonstrations"))
				if len(list) > 0 && rng.IntN(2) == 0 {
					i := rng.IntN(len(list))
					list = slices.Delete(list, i, i+1)
				}
				if t := w.tasks[rng.IntN(worldTasks)]; len(list) < 8 && rng.IntN(3) > 0 && !slices.Contains(list, agent.Demonstration{Task: t.request, Answer: t.answer}) {
					list = append(list, agent.Demonstration{Task: t.request, Answer: t.answer})
				}
				next["demonstrations"] = agent.FormatDemonstrations(list)
			default:
				name := []string{"warmth", "budget"}[rng.IntN(2)]
				next[name] = math.Max(0, math.Min(1, c.Float(name, 0)+0.1*rng.NormFloat64()))
			}
			if v := w.truth(next); v > at {
				c, at = next, v
			}
		}
		top = math.Max(top, at)
	}
	return top
}

// edited returns a text with one more line of the world, or sometimes with one line fewer.
func (w *textWorld) edited(text string, rng *rand.Rand) string {
	lines := strings.Split(text, "\n")
	if len(lines) > 1 && rng.IntN(4) == 0 {
		i := 1 + rng.IntN(len(lines)-1)
		return strings.Join(slices.Delete(lines, i, i+1), "\n")
	}
	if l := w.lines[rng.IntN(len(w.lines))]; !slices.Contains(lines, l) {
		return text + "\n" + l
	}
	return text
}

// run drives a search with an author that adds or drops lines and demonstrations at
// random. It returns the recommendation and the trials of the search.
func (w *textWorld) run(t testing.TB, o Options) (rec Recommendation, trials []Trial) {
	o.Space, o.Champion, o.Tasks, o.Seed, o.Author = w.space, w.space.Default(), w.search, int64(w.seed), &Author{Routes: []AuthorRoute{{Name: "writer"}}}
	s := newSearch(t, o)
	rng := rand.New(rand.NewPCG(w.seed, 0xa0))
	index := map[string]int{}
	for j, t := range w.search {
		index[t.ID] = j
	}
	for {
		tr, status := s.Ask()
		if status != Ready {
			return s.Recommend(), trials
		}
		if tr.Brief != nil {
			c := tr.Config.Clone()
			if tr.Brief.Component == "strategy" {
				c["strategy"] = w.edited(c.String("strategy"), rng)
			} else {
				list, _ := agent.ParseDemonstrations(c.String("demonstrations"))
				one := w.tasks[rng.IntN(worldTasks)]
				c["demonstrations"] = agent.FormatDemonstrations(append(list, agent.Demonstration{Task: one.request, Answer: one.answer}))
			}
			s.Tell(Observation{Trial: tr, Draft: &Draft{Config: c, Rationale: "an idea"}})
			continue
		}
		trials = append(trials, tr)
		p := w.chance(tr.Config, index[tr.Task])
		score := 0.0
		if rng.Float64() < p {
			score = 1
		}
		s.Tell(Observation{Trial: tr, Scored: true, Score: score, Outcome: agent.OK})
	}
}

var (
	textWorlds = flag.Int("text-worlds", 0, "fresh problems of BenchmarkTexts")
	textFirst  = flag.Int("text-first", 1000, "number of the first of them")
)

// BenchmarkTexts prints the regret of the recommended config when the instruction, the
// demonstrations and the numbers are searched together. The regret is in true scores on
// tasks that the search does not have.
func BenchmarkTexts(b *testing.B) {
	if *textWorlds == 0 {
		b.Skip("say -text-worlds")
	}
	for _, budget := range []int{150, 500} {
		var regrets []float64
		gain, shown, worse := 0.0, 0.0, 0
		for seed := range uint64(*textWorlds) {
			w := newTextWorld(uint64(*textFirst) + seed)
			rec, _ := w.run(b, Options{Budget: budget})
			config := rec.Best.Config
			if len(rec.Finalists) > 0 {
				config = rec.Finalists[0].Config
			}
			at, from := w.truth(config), w.truth(w.space.Default())
			regrets = append(regrets, w.best()-at)
			gain += at - from
			if at < from {
				worse++
			}
			list, _ := agent.ParseDemonstrations(config.String("demonstrations"))
			shown += float64(len(list))
		}
		n := float64(len(regrets))
		slices.SortFunc(regrets, cmp.Compare)
		sum := 0.0
		for _, r := range regrets {
			sum += r
		}
		fmt.Printf("\n%d evaluations, %.0f problems: mean regret %.3f, median %.3f, mean gain %.3f, worse than the default %d, demonstrations %.1f\n",
			budget, n, sum/n, regrets[len(regrets)/2], gain/n, worse, shown/n)
	}
}
