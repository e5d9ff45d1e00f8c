package real

import (
	"cmp"
	"encoding/json"
	"flag"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"evolve/mutate/internal/lab/problem"
	"evolve/runtime/agent"
)

var (
	known   = flag.String("known", "", "file to which BenchmarkKnown adds the best configs of a family")
	samples = flag.Int("samples", 2000, "uniform configs that BenchmarkKnown begins with")
	tried   = flag.Int("tried", 400, "tasks on which BenchmarkKnown compares configs at first")
	family  = flag.String("family", "", "the family of BenchmarkKnown: routing or retrieval")
)

// found is a config with its mean score.
type found struct {
	config agent.Config
	score  float64
}

// better compares two configs, to sort them by descending score.
func better(a, b *found) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.config.ID(), b.config.ID()))
}

// BenchmarkKnown searches offline for good configs by their scores on a sample of all
// tasks, and writes the ten that are best on 4,000 tasks of the sample.
func BenchmarkKnown(b *testing.B) {
	if *known == "" {
		b.Skip("say -known and -family")
	}
	worlds, err := open(Find())
	if err != nil {
		b.Fatal(err)
	}
	at := slices.IndexFunc(worlds, func(w *world) bool { return w.name == *family })
	if at < 0 {
		b.Fatalf("there is no data for %q", *family)
	}
	w := worlds[at]
	places := rand.New(rand.NewPCG(1, 2)).Perm(len(w.domains))
	mean := func(c agent.Config, places []int) float64 {
		sum := 0.0
		for _, i := range places {
			sum += w.run(c, i)
		}
		return sum / float64(len(places))
	}
	seen := map[agent.ConfigID]*found{}
	problem.Climb(w.space, w.space.Default(), func(c agent.Config) float64 {
		id := c.ID()
		if seen[id] == nil {
			seen[id] = &found{c, mean(c, places[:min(*tried, len(places))])}
		}
		return seen[id].score
	}, 1, *samples, 1, 2)
	list := slices.SortedFunc(maps.Values(seen), better)
	list = list[:min(len(list), 40)]
	for _, f := range list {
		f.score = mean(f.config, places[:min(4000, len(places))])
	}
	slices.SortFunc(list, better)
	all := map[string][]agent.Config{}
	if raw, err := os.ReadFile(*known); err == nil {
		if err := json.Unmarshal(raw, &all); err != nil {
			b.Fatal(err)
		}
	}
	all[w.name] = nil
	for _, f := range list[:min(len(list), 10)] {
		all[w.name] = append(all[w.name], f.config)
	}
	b.Logf("on all %.4f: %s", list[0].score, list[0].config.Canonical())
	raw, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(*known, append(raw, '\n'), 0o644); err != nil {
		b.Fatal(err)
	}
}
