package population

import (
	"testing"

	"evolve/mutate"
	"evolve/runtime/agent"
)

// TestEqualFinalistsCountOnce checks that finalists with equal scores on all cases count
// as one finalist. The smallest of them comes first, and the others come directly after
// it.
func TestEqualFinalistsCountOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(12, 3)
	o := w.options(200, 1)
	o.Finalists = 2
	o.Size = func(c agent.Config) int { return len(c.String("block")) }
	text := func(list ...float64) agent.Config { return agent.Config{"block": write(list)} }
	best, other := text(w.want...), text(append([]float64{w.want[0] + .5}, w.want[1:]...)...)
	longer, longest := best.Clone(), best.Clone()
	longer["block"], longest["block"] = longer.String("block")+" ", longest.String("block")+"  "
	score := func(c agent.Config, task string) float64 { return w.score(c, task) }
	for _, c := range []agent.Config{w.space.Default(), longest, longer, best, other} {
		for _, task := range o.Tasks {
			o.Measured = append(o.Measured, mutate.Observation{
				Trial: mutate.Trial{Variant: c.ID(), Config: c, Task: task.ID}, Scored: true, Score: score(c, task.ID),
			})
		}
	}
	s := start(t, o)
	for _, m := range s.members[1:] { // puts the variants in the state that they have after the stages of a search
		m.stages = len(s.Stages)
	}
	var got []agent.ConfigID
	for _, f := range s.Recommend().Finalists {
		got = append(got, f.Variant)
	}
	want := []agent.ConfigID{best.ID(), longer.ID(), longest.ID(), other.ID()}
	if len(got) != len(want) {
		t.Fatalf("%d finalists, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("finalist %d is %s, want %s", i, got[i].Short(), want[i].Short())
		}
	}
}
