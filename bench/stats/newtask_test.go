package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
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
		c := newComponents(rows)
		bound, limit := reach{sample: s, Components: c}.lower(.05)
		if i := (reach{sample: s, Components: c}).interval(.95); bound != -1 || limit != -1 || i != (Interval{Lo: -1, Hi: 1}) {
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
		c := newComponents(rows)
		bound, limit := reach{sample: s, Components: c}.lower(.025)
		same, all := s.Interval(.95), reach{sample: s, Components: c}.interval(.95)
		if bound > same.Lo+1e-9 || bound > limit+1e-9 || math.Abs(all.Lo-bound) > 1e-9 || all.Hi < same.Hi-1e-9 {
			t.Fatalf("bound %g, limit %g, new %v, same %v", bound, limit, all, same)
		}
		if strict, _ := (reach{sample: s, Components: c}).lower(1. / 240); strict > bound+1e-9 {
			t.Fatalf("the bound at 1/240 is %g, that at .025 %g", strict, bound)
		}
		c.Between += .01
		if wilder, _ := (reach{sample: s, Components: c}).lower(.025); wilder > bound {
			t.Fatalf("more spread between tasks lifts the bound from %g to %g", bound, wilder)
		}
	})
}

// TestNewTaskCoverage checks that with new tasks in every round, the interval for new tasks
// covers the mean over all tasks like them. The interval for only these tasks must not
// cover it, or the test could not fail.
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
			components := newComponents(rows)
			i, these := reach{sample: s, Components: components}.interval(.95), s.Interval(.95)
			covered += btoi(i.Lo <= mean && mean <= i.Hi)
			alone += btoi(these.Lo <= mean && mean <= these.Hi)
			bound, _ := reach{sample: shifted, Components: components}.lower(.05)
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

func TestLeastTasks(t *testing.T) {
	for alpha, want := range map[float64]int{.05: 8, 1. / 240: 8, 1. / 256: 8, 1. / 257: 9, 1. / 12000: 14} {
		if got := LeastTasks(alpha); got != want {
			t.Errorf("%d tasks at %g", got, alpha)
		}
	}
	near(t, "equal clusters", Independent([]float64{2, 2, 2}), 3, 1e-12)
	near(t, "one that is heavy", Independent([]float64{4, 1, 1}), 2, 1e-12)
	near(t, "none", Independent(nil), 0, 0)
}

// TestJudgeNeedsIndependentTasks checks the case of fewer than eight independent tasks,
// because the tasks are few, in few clusters or of uneven weight. Then only the claim
// about these tasks is made, without further blocks.
func TestJudgeNeedsIndependentTasks(t *testing.T) {
	gains := func(task, block int) int { return btoi((task+block)%4 != 0) }
	weighed := func(pairs []Pair, weight func(i int) float64) []Pair {
		for i := range pairs {
			pairs[i].Weight = weight(i)
		}
		return pairs
	}
	for name, c := range map[string]struct {
		pairs []Pair
		claim Claim
	}{
		"eight tasks":              {blocksOf(8, 12, gains), NewTasks},
		"seven tasks":              {blocksOf(7, 12, gains), TheseTasks},
		"ten, one weighs a third":  {weighed(blocksOf(10, 12, gains), func(i int) float64 { return 1 + 3.5*float64(btoi(i == 0)) }), TheseTasks},
		"ten of about one weight":  {weighed(blocksOf(10, 12, gains), func(i int) float64 { return 1 + .5*float64(btoi(i == 0)) }), NewTasks},
		"thirty in three clusters": {inClusters(blocksOf(30, 12, gains), 3), TheseTasks},
	} {
		r := Judge("v", c.pairs, Rule{Alpha: 1. / 240})
		if r.Claim != c.claim || r.State != map[Claim]State{NewTasks: Proven, TheseTasks: HereOnly}[c.claim] {
			t.Errorf("%s: %s, %q: %s", name, r.State, r.Claim, r.Reason)
		}
		if c.claim == TheseTasks && (r.NewLower != -1 || !strings.Contains(r.Reason, "at least 8 are needed for new tasks")) {
			t.Errorf("%s: bound %g, %s", name, r.NewLower, r.Reason)
		}
	}
}

// inClusters puts task i into cluster i mod n.
func inClusters(pairs []Pair, n int) []Pair {
	for i := range pairs {
		pairs[i].Cluster = fmt.Sprint("c", i%n)
	}
	return pairs
}
