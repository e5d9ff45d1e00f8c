package mutate

import (
	"testing"

	"evolve/mutate/selection"
)

// TestHGMWaits checks that hgm makes no child while its tree has few evaluations, and that
// other selections do not wait.
func TestHGMWaits(t *testing.T) {
	for name, waits := range map[string]bool{selection.HGM: true, "random": false} {
		space := mixedSpace(8)
		s := newSearch(t, Options{Space: space, Champion: space.Default(), Tasks: makeTasks(20), Budget: 1500, Seed: 4, Selection: name})
		s.champion.asked = 10 // 10^0.6 = 3.98
		for len(s.variants) < 4 {
			p := s.random()
			p.operator, p.scale = "flip", 1
			s.add(p, false)
		}
		bred := func() (n int) {
			for range 40 {
				if _, ok := s.breed(); ok {
					n++
				}
			}
			return n
		}
		if n := bred(); (n == 0) != waits {
			t.Errorf("%s: %d children of a tree of 4 with 10 evaluations", name, n)
		}
		s.champion.asked = 11 // 11^0.6 = 4.22
		if bred() == 0 {
			t.Errorf("%s: no child of a tree of 4 with 11 evaluations", name)
		}
	}
}
