package mutate

import (
	"math/rand/v2"
	"strings"
	"testing"

	"evolve/bench"
	"evolve/mutate/selection"
	"evolve/runtime/agent"
)

// TestNamedSelectionActs runs whole searches with a selection that a person named, for
// numbers and for texts. At least half of the new variants must be children of parents
// that the selection chose, and their rationale must name the selection. Variants of the
// random baseline count as well, except for hgm, which limits the number of its children.
// With the default selection, such variants are few.
func TestNamedSelectionActs(t *testing.T) {
	w := newTextWorld(2)
	numbers := mixedSpace(8)
	for _, name := range []string{"", "dgm", selection.HGM, "pareto", "map_elites", "top_k", "random"} {
		for kind, o := range map[string]Options{
			"numbers": {Space: numbers, Champion: numbers.Default(), Tasks: makeTasks(30)},
			"texts":   {Space: w.space, Champion: w.space.Default(), Tasks: w.search},
		} {
			o.Selection, o.Budget, o.Seed = name, 500, 5
			s := newSearch(t, o)
			rng := rand.New(rand.NewPCG(1, 7))
			chance := func(tr Trial) float64 {
				if kind == "texts" {
					return w.chance(tr.Config, s.taskIndex[tr.Task])
				}
				return 0.2 + 0.5*tr.Config.Float("p0", 0)
			}
			first := map[agent.ConfigID]bool{o.Champion.ID(): true}
			chosen := 0
			for {
				tr, status := s.Ask()
				if status != Ready {
					break
				}
				if counts := name != selection.HGM || tr.Stage != bench.StageBaseline; counts && !first[tr.Variant] {
					first[tr.Variant] = true
					if len(tr.Parents) > 0 && strings.Contains(tr.Rationale, "(parent by "+name) {
						chosen++
					}
				}
				score := 0.0
				if rng.Float64() < chance(tr) {
					score = 1
				}
				s.Tell(Observation{Trial: tr, Scored: true, Score: score, Outcome: agent.OK})
			}
			share := float64(chosen) / float64(len(first)-1)
			t.Logf("%q, %s: %d of %d new variants", name, kind, chosen, len(first)-1)
			if name != "" && share < 0.5 || name == "" && share > 0.3 {
				t.Errorf("%q, %s: %d of %d new variants are children of chosen parents", name, kind, chosen, len(first)-1)
			}
		}
	}
}
