package ablation

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/mutate"
	"evolve/runtime/agent"
)

// TestModelOfManyConfigs checks that the model of a long night covers as many configs as
// the model of a search, and that these are the configs with the most evaluations.
func TestModelOfManyConfigs(t *testing.T) {
	t.Parallel()
	space := agent.Space{Params: []agent.Param{{Name: "x", Kind: agent.Float, Min: 0, Max: 1, Default: .5}}}
	o := Options{Space: space, Champion: space.Default()}
	for _, id := range []string{"a", "b", "c"} {
		o.Tasks = append(o.Tasks, mutate.Task{ID: id})
	}
	var few, many []mutate.Observation
	for i := range 2 * mutate.MaxModelled {
		c := agent.Config{"x": float64(i) / (2 * mutate.MaxModelled)}
		for j := range 1 + i%2 {
			one := mutate.Observation{Trial: mutate.Trial{Variant: c.ID(), Config: c, Task: o.Tasks[j].ID}, Scored: true, Score: float64(i % 3 / 2)}
			if i%2 == 0 {
				few = append(few, one)
			} else {
				many = append(many, one)
			}
		}
	}
	contrast := func(known []mutate.Observation) mutate.Contrast {
		o.Known = slices.Values(known)
		c, ok := Model(o).Contrast(agent.Config{"x": .1}, []agent.Config{{"x": .9}, {"x": .4}})
		if !ok {
			t.Fatal("the model was not fitted")
		}
		return c
	}
	want, got := contrast(many), contrast(append(slices.Clone(few), many...))
	if d := cmp.Diff(want.Mean, got.Mean); d != "" {
		t.Error(d)
	}
}
