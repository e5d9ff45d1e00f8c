package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// blocksOf returns tasks × blocks pass/fail pairs whose differences are given by gain.
func blocksOf(tasks, blocks int, gain func(task, block int) int) []Pair {
	out := make([]Pair, tasks)
	for i := range out {
		out[i] = Pair{Task: fmt.Sprint("t", i)}
		for r := range blocks {
			d := gain(i, r)
			out[i].A = append(out[i].A, float64(max(0, -d)))
			out[i].B = append(out[i].B, float64(max(0, d)))
		}
	}
	return out
}

// costing sets the cost of every pair to 1 for the champion and b for the candidate.
func costing(b float64, pairs []Pair) []Pair {
	for i := range pairs {
		for range pairs[i].A {
			pairs[i].CostA, pairs[i].CostB = append(pairs[i].CostA, 1), append(pairs[i].CostB, b)
		}
	}
	return pairs
}

// inDomains sets the domain of each task.
func inDomains(pairs []Pair, name func(i int) string) []Pair {
	for i := range pairs {
		pairs[i].Domain = name(i)
	}
	return pairs
}

func TestJudge(t *testing.T) {
	everywhere := func(task, block int) int { return btoi((task+block)%4 == 0) }
	nowhere := func(task, block int) int { return btoi((task+block)%4 == 0) - btoi((task+block)%4 == 2) }
	someTasks := func(task, _ int) int { return btoi(task < 3) }
	worse := func(task, block int) int { return -everywhere(task, block) }
	alpha := 1. / 240
	cost, latency := []Bound{{Name: Cost, Of: Mean, AtMost: 1.1}}, []Bound{{Name: Latency, Of: P95, AtMost: 1.1}}
	for _, c := range []struct {
		name   string
		pairs  []Pair
		rule   Rule
		state  State
		claim  Claim
		reason string
	}{
		{"nothing measured", nil, Rule{}, Open, NoClaim, "no task was scored"},
		{"one block", blocksOf(10, 1, everywhere), Rule{}, Open, NoClaim, "not decided: +30.0 points on 10 tasks, once each; the evidence is"},
		{"as good as the champion", blocksOf(20, 8, nowhere), Rule{}, Open, NoClaim, "to 1, but 240 to 1 is required"},
		{"as good, and long enough", blocksOf(20, 8, nowhere), Rule{Cap: 79}, Parked, NoClaim, "parked after twice the projected 79 pairs"},
		{"not one pair above twice", blocksOf(20, 8, nowhere), Rule{Cap: 80}, Open, NoClaim, "not decided"},
		{"better everywhere", blocksOf(20, 8, everywhere), Rule{}, Proven, NewTasks, "better on new tasks like these: +25.0 points on 20 tasks, 8 times each, and at least +"},
		{"proven before it could be parked", blocksOf(20, 8, everywhere), Rule{Cap: 10}, Proven, NewTasks, ""},
		{"better on some tasks for sure", blocksOf(10, 4, someTasks), Rule{}, Open, NoClaim, "not decided"},
		{"some tasks for sure, shown", blocksOf(10, 7, someTasks), Rule{}, Open, TheseTasks, "not yet shown for new ones"},
		{"some tasks for sure, enough blocks", blocksOf(10, 8, someTasks), Rule{}, HereOnly, TheseTasks, "on these tasks only: +30.0 points on 10 tasks, 8 times each; the tasks differ too much"},
		{"some tasks, parked", blocksOf(10, 7, someTasks), Rule{Cap: 20}, Parked, TheseTasks, "better on these tasks"},
		{"one task for ever", blocksOf(1, 40, func(int, int) int { return 1 }), Rule{}, HereOnly, TheseTasks, ""},
		{"worse", blocksOf(20, 8, worse), Rule{}, Harmful, NoClaim, "proven worse on these tasks: −25.0 points"},
		{"better, cheap", costing(.9, blocksOf(20, 8, everywhere)), Rule{Guards: cost}, Proven, NewTasks, ""},
		{"better, cost unknown", blocksOf(20, 8, everywhere), Rule{Guards: cost}, Proven, NewTasks, ""},
		{"better, dear", costing(1.5, blocksOf(20, 8, everywhere)), Rule{Guards: cost}, Trade, NewTasks, "at a price: mean cost $1.00 → $1.50 (+50 % [+50, +50], at most +10 %)"},
		{"not better, dear", costing(1.5, blocksOf(10, 1, everywhere)), Rule{Guards: cost}, Open, NoClaim, "not decided"},
		{"better, dear, and without a guard", costing(1.5, blocksOf(20, 8, everywhere)), Rule{}, Proven, NewTasks, ""},
		{"better, slowness not known", blocksOf(20, 8, everywhere), Rule{Guards: latency}, Proven, NewTasks, ""},
		{
			"a domain suffers",
			inDomains(blocksOf(20, 8, func(task, block int) int {
				if task < 4 {
					return -1
				}
				return everywhere(task, block)
			}), func(i int) string { return map[bool]string{true: "law", false: ""}[i < 4] }),
			Rule{},
			Vetoed, NoClaim, "the domain law is proven worse (−100.0 points on 4 tasks)",
		},
		{
			"a domain is merely open",
			inDomains(blocksOf(40, 8, func(task, block int) int {
				if task < 2 {
					return 1 - 2*(block%2)
				}
				return everywhere(task, block)
			}), func(i int) string { return map[bool]string{true: "law", false: "rest"}[i < 2] }),
			Rule{},
			Proven, NewTasks, "",
		},
		{"fixed: eight tasks won", blocksOf(8, 1, func(int, int) int { return 1 }), Rule{Fixed: true}, Proven, NewTasks, "better on new tasks"},
		{"fixed: seven tasks won", blocksOf(7, 1, func(int, int) int { return 1 }), Rule{Fixed: true}, HereOnly, TheseTasks, "on 7 independent tasks; at least 8 are needed for new tasks"},
		{"fixed: some tasks won", blocksOf(40, 1, func(task, _ int) int { return btoi(task < 5) }), Rule{Fixed: true}, HereOnly, TheseTasks, "differ too much"},
		{"fixed: many tasks won", blocksOf(40, 1, func(task, _ int) int { return btoi(task < 15) }), Rule{Fixed: true}, Proven, NewTasks, ""},
		{"fixed: nothing changed", blocksOf(40, 1, func(int, int) int { return 0 }), Rule{Fixed: true}, Harmful, NoClaim, "not better: 0.0 points"},
		{"fixed: worse by one task", blocksOf(40, 1, func(task, _ int) int { return -btoi(task == 0) }), Rule{Fixed: true}, Harmful, NoClaim, "a repeat would give the same"},
		{"fixed: dear", costing(1.2, blocksOf(8, 1, func(int, int) int { return 1 })), Rule{Fixed: true, Guards: cost}, Trade, NewTasks, "at a price"},
		{"fixed: as cheap", costing(1.05, blocksOf(8, 1, func(int, int) int { return 1 })), Rule{Fixed: true, Guards: cost}, Proven, NewTasks, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.rule.Alpha = alpha
			r := Judge("v", c.pairs, c.rule)
			if r.State != c.state || r.Claim != c.claim || !strings.Contains(r.Reason, c.reason) || r.Reason == "" {
				t.Errorf("%s, %q: %s\n%+v", r.State, r.Claim, r.Reason, r)
			}
		})
	}
}

// TestJudgeKnowsItsClusters checks that twins multiply the pairs but not the independent
// tasks.
func TestJudgeKnowsItsClusters(t *testing.T) {
	rule := Rule{Alpha: 1. / 240, Fixed: true}
	twins := blocksOf(24, 1, func(int, int) int { return 1 })
	for i := range twins {
		twins[i].Cluster = fmt.Sprint(i % 7)
	}
	if r := Judge("v", twins, rule); r.State != HereOnly || r.Clusters != 7 {
		t.Errorf("24 tasks in seven clusters: %s, %s", r.State, r.Reason)
	}
	rule.Fixed = false
	alone := Judge("v", blocksOf(24, 8, func(task, block int) int { return btoi(task < 8 || block == 0) }), rule)
	together := blocksOf(24, 8, func(task, block int) int { return btoi(task < 8 || block == 0) })
	for i := range together {
		together[i].Cluster = fmt.Sprint(i / 8)
	}
	r := Judge("v", together, rule)
	if r.NewLower >= alone.NewLower || r.LogE != alone.LogE || r.Lo != alone.Lo {
		t.Errorf("in three clusters: bound %g after %g, evidence %g after %g", r.NewLower, alone.NewLower, r.LogE, alone.LogE)
	}
}

func genRule(t *rapid.T) Rule {
	return Rule{
		Alpha: rapid.SampledFrom([]float64{.05, 1. / 240}).Draw(t, "alpha"),
		Fixed: rapid.Bool().Draw(t, "fixed"), Guards: rapid.SampledFrom([][]Bound{nil, DefaultBounds()}).Draw(t, "guards"),
		Cap: rapid.SampledFrom([]float64{0, 20}).Draw(t, "cap"),
	}
}

func TestJudgeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pairs, rule := genPairs(t), genRule(t)
		for i := range pairs {
			pairs[i].CostA = rapid.SliceOfN(rapid.Float64Range(0, 3), 0, 3).Draw(t, "cost a")
			pairs[i].CostB = rapid.SliceOfN(rapid.Float64Range(0, 3), 0, 3).Draw(t, "cost b")
		}
		r := Judge("v", pairs, rule)

		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		shuffled := make([]Pair, len(pairs))
		for i, j := range rng.Perm(len(pairs)) {
			shuffled[i] = inAnotherOrder(rng, pairs[j])
		}
		if diff := cmp.Diff(r, Judge("v", shuffled, rule)); diff != "" {
			t.Fatalf("order matters: %s", diff)
		}

		swapped := make([]Pair, len(pairs))
		for i, p := range pairs {
			p.A, p.B, p.CostA, p.CostB = p.B, p.A, p.CostB, p.CostA
			swapped[i] = p
		}
		s := Judge("v", swapped, rule)
		for what, sum := range map[string]float64{
			"difference": r.Difference + s.Difference, "interval": r.Lo + s.Hi, "month": r.Month.Lo + s.Month.Hi,
			"new tasks": r.New.Lo + s.New.Hi, "evidence": r.LogE - s.LogHarm,
			"spread": r.Between - s.Between, "chance": r.Within - s.Within, "means": r.MeanA - s.MeanB,
		} {
			if math.Abs(sum) > 1e-8 {
				t.Fatalf("swapped sides: %s %g", what, sum)
			}
		}

		if r.Lo > r.Difference+1e-9 || r.Hi < r.Difference-1e-9 ||
			rule.Alpha < .025 && (r.Month.Lo > r.Lo+1e-9 || r.Month.Hi < r.Hi-1e-9) || r.New.Lo > r.Lo+1e-9 || r.New.Hi < r.Hi-1e-9 {
			t.Fatalf("intervals do not nest: %+v", r)
		}
		if r.NewLower > r.Limit+1e-9 || r.NewLower > r.Difference+1e-9 {
			t.Fatalf("bounds: %+v", r)
		}
		if r.State == Proven && (r.Claim != NewTasks || r.NewLower <= 0 || r.Difference <= 0) || r.Claim != NoClaim && r.Difference <= 0 {
			t.Fatalf("a claim without evidence: %+v", r)
		}
		if r.State.Ended() == (r.State == Open || r.State == Parked) {
			t.Fatalf("%s", r.State)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Fatal(err)
		}
	})
}

// inAnotherOrder permutes the blocks of a pair.
func inAnotherOrder(rng *rand.Rand, p Pair) Pair {
	n := min(len(p.A), len(p.B))
	a, b := make([]float64, n), make([]float64, n)
	for i, j := range rng.Perm(n) {
		a[i], b[i] = p.A[j], p.B[j]
	}
	p.A, p.B = a, b
	return p
}

// TestJudgeIsNotFooledByLooking checks that judging after every block, on tasks that
// differ, proves a false gain in at most α of all runs.
func TestJudgeIsNotFooledByLooking(t *testing.T) {
	const runs, tasks, blocks, alpha = 160, 10, 10, .05
	rng := rand.New(rand.NewPCG(11, 5))
	proven, here := 0, 0
	for range runs {
		chance := make([][2]float64, tasks)
		for i := range chance {
			p, d := .2+.6*rng.Float64(), .3*rng.NormFloat64()
			chance[i] = [2]float64{p, p + d}
		}
		pairs := blocksOf(tasks, 0, nil)
		state, claimed := Open, false
		for range blocks {
			for i := range pairs {
				pairs[i].A = append(pairs[i].A, float64(btoi(rng.Float64() < chance[i][0])))
				pairs[i].B = append(pairs[i].B, float64(btoi(rng.Float64() < chance[i][1])))
			}
			r := Judge("v", pairs, Rule{Alpha: alpha})
			claimed = claimed || r.Claim != NoClaim
			if state = r.State; state.Ended() {
				break
			}
		}
		proven += btoi(state == Proven)
		here += btoi(claimed)
	}
	if limit := runs*alpha + 3*math.Sqrt(runs*alpha*(1-alpha)); float64(proven) > limit {
		t.Errorf("%d of %d runs prove a gain on new tasks that is none", proven, runs)
	}
	if here == 0 {
		t.Error("no run ever claims anything: the test cannot fail")
	}
}
