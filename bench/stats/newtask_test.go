package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestNewTaskNeedsTasksAndRepeats(t *testing.T) {
	for name, rows := range map[string][][]float64{
		"one task":          {{1, 1, 1, 1}},
		"one block":         {{1}, {1}, {1}},
		"too few repeated":  {{1, 1}, {1}, {1}},
		"nothing":           nil,
		"only empty blocks": {{}, {}},
	} {
		s := NewSample()
		for _, row := range rows {
			for _, d := range row {
				s.Add(d, 20)
			}
		}
		c := NewComponents(rows)
		bound, limit := NewTaskLower(s, c, .05)
		if i := NewTaskInterval(s, c, .95); bound != -1 || limit != -1 || i != (Interval{Lo: -1, Hi: 1}) {
			t.Errorf("%s: bound %g, limit %g, interval %v", name, bound, limit, i)
		}
	}
}

func TestNewTaskProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.SliceOfN(genDifference(), 2, 6), 2, 12).Draw(t, "rows")
		s := NewSample()
		for _, row := range rows {
			for _, d := range row {
				s.Add(d, 1)
			}
		}
		c := NewComponents(rows)
		bound, limit := NewTaskLower(s, c, .025)
		same, all := s.Interval(.95), NewTaskInterval(s, c, .95)
		if bound > same.Lo+1e-9 || bound > limit+1e-9 || math.Abs(all.Lo-bound) > 1e-9 || all.Hi < same.Hi-1e-9 {
			t.Fatalf("bound %g, limit %g, new %v, same %v", bound, limit, all, same)
		}
		if strict, _ := NewTaskLower(s, c, 1./240); strict > bound+1e-9 {
			t.Fatalf("the bound at 1/240 is %g, that at .025 %g", strict, bound)
		}
		c.Between += .01
		if wilder, _ := NewTaskLower(s, c, .025); wilder > bound {
			t.Fatalf("more spread between tasks lifts the bound from %g to %g", bound, wilder)
		}
	})
}

// TestNewTaskCoverage: with new tasks in every round, the interval covers the mean over
// all tasks like them; the one about these tasks alone must not, or the test could not fail.
func TestNewTaskCoverage(t *testing.T) {
	const rounds = 200
	for _, c := range []struct {
		tasks, blocks int
		tau           float64
	}{{10, 8, .3}, {25, 8, .3}, {20, 4, 0}} {
		rng := rand.New(rand.NewPCG(4, 2))
		covered, alone, mistaken := 0, 0, 0
		for range rounds {
			const mean = .1
			rows := tasksAndChance(rng, c.tasks, c.blocks, mean, c.tau, .15, .02)
			s := NewSample()
			shifted := NewSample()
			for _, row := range rows {
				for _, d := range row {
					s.Add(d, 1)
					shifted.Add(d-mean, 1)
				}
			}
			components := NewComponents(rows)
			i, these := NewTaskInterval(s, components, .95), s.Interval(.95)
			covered += btoi(i.Lo <= mean && mean <= i.Hi)
			alone += btoi(these.Lo <= mean && mean <= these.Hi)
			bound, _ := NewTaskLower(shifted, components, .05)
			mistaken += btoi(bound > 0)
		}
		if covered < rounds*92/100 {
			t.Errorf("%d tasks × %d: %d of %d intervals cover", c.tasks, c.blocks, covered, rounds)
		}
		if mistaken > rounds*8/100 {
			t.Errorf("%d tasks × %d: %d of %d claims are false", c.tasks, c.blocks, mistaken, rounds)
		}
		if c.tau > 0 && alone > covered-rounds/20 {
			t.Errorf("%d tasks × %d: the interval for these tasks covers %d of %d, that for new ones %d", c.tasks, c.blocks, alone, rounds, covered)
		}
	}
}
