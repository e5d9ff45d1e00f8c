package stats

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestTail(t *testing.T) {
	loses := func(n int) func(task, block int) int {
		return func(task, block int) int {
			if task < n {
				return -1
			}
			return btoi((task+block)%2 == 0)
		}
	}
	for _, c := range []struct {
		name         string
		pairs        []Pair
		fixed        bool
		worse        int
		unseen, most float64
	}{
		{"none lost", blocksOf(40, 12, loses(0)), false, 0, 1 - math.Pow(.05, 1./40), 1 - math.Pow(.05, 1./40)},
		{"two of forty", blocksOf(40, 12, loses(2)), false, 2, 1 - math.Pow(.05, 1./40), .14923}, // qbeta(.95, 3, 38)
		{"too early to tell", blocksOf(40, 4, loses(2)), false, 0, 1 - math.Pow(.05, 1./40), 1 - math.Pow(.05, 1./40)},
		{"two of eight clusters", inClusters(blocksOf(16, 12, func(task, block int) int { return loses(2)(task%8, block) }), 8), false, 2, 1 - math.Pow(.05, 1./8), .59969}, // qbeta(.95, 3, 6)
		{"of a fixed agent", blocksOf(40, 1, loses(3)), true, 3, 1 - math.Pow(.05, 1./40), .182587},                                                                         // qbeta(.95, 4, 37)
	} {
		r := Judge("v", c.pairs, Rule{Alpha: entryAlpha, Fixed: c.fixed})
		if r.Tail == nil || r.Tail.Worse != c.worse {
			t.Fatalf("%s: %+v", c.name, r.Tail)
		}
		near(t, c.name+", unseen", r.Tail.Unseen, c.unseen, 1e-12)
		near(t, c.name+", at most", r.Tail.WorseMost, c.most, 1e-4)
		near(t, c.name+", break-even", r.Tail.BreakEven, r.Difference/(r.Difference+r.MeanA), 1e-12)
	}
	near(t, "all found", shareMost(3, 3), 1, 0)
	// After two blocks, no task is clearly worse, and two tasks fail in both blocks.
	began := Judge("v", blocksOf(40, 2, loses(2)), Rule{Alpha: entryAlpha})
	early := began.Tail
	if early.Worse != 0 || early.Failing != 2 || !strings.Contains(began.TailWords(), "on 2 independent tasks in every run, as it would on at most 14.9 % of new tasks") {
		t.Errorf("%+v: %s", early, began.TailWords())
	}
	near(t, "failing, at most", early.FailingMost, .14923, 1e-4)
	// If the champion fails too, nothing is lost. For a fixed agent, the failing tasks
	// count as worse.
	for _, c := range []struct {
		unseen, breakEven float64
		want              bool
	}{{.095, .093, true}, {.05, .093, false}, {.095, 0, false}} {
		if words := (&Tail{Unseen: c.unseen, BreakEven: c.breakEven, Tasks: 30}).words("the gain", "30 independent tasks"); strings.Contains(words, "which so few tasks cannot exclude") != c.want {
			t.Errorf("%+v: %s", c, words)
		}
	}
	if none := Judge("v", blocksOf(40, 2, func(task, _ int) int { return btoi(task >= 2) }), Rule{Alpha: entryAlpha}).Tail; none.Failing != 0 {
		t.Errorf("%+v", none)
	}
	if known := Judge("v", blocksOf(40, 1, loses(3)), Rule{Alpha: entryAlpha, Fixed: true}).Tail; known.Failing != 0 || known.Worse != 3 {
		t.Errorf("%+v", known)
	}
	if r := Judge("v", nil, Rule{Alpha: entryAlpha}); r.Tail != nil {
		t.Errorf("nothing has the tail %+v", r.Tail)
	}
	r := Judge("v", blocksOf(40, 12, loses(2)), Rule{Alpha: entryAlpha})
	if r.State != Proven || !strings.Contains(r.Reason, "up to 7.2 % of new tasks could be of a kind that these 40 independent tasks do not include, and fail unnoticed") || !strings.Contains(r.Reason, "2 independent tasks got clearly worse, which may happen to at most 14.9 % of new tasks") {
		t.Errorf("%s: %s", r.State, r.Reason)
	}
}

// TestUnevenWeights checks that, if the weights are uneven, the sentence about unseen
// tasks and the share that it states are based on the same number of independent tasks.
func TestUnevenWeights(t *testing.T) {
	t.Parallel()
	pairs := blocksOf(40, 12, func(int, int) int { return 1 })
	for i := range pairs {
		if pairs[i].Task == pairs[0].Task {
			pairs[i].Weight = 20
		}
	}
	r := Judge("v", pairs, Rule{Alpha: entryAlpha})
	if !r.Uneven() || r.Clusters != 40 {
		t.Fatalf("%d clusters count as %g", r.Clusters, r.Independent)
	}
	near(t, "unseen", r.Tail.Unseen, Unseen(int(math.Round(r.Independent))), .02)
	want := fmt.Sprintf("these 40 independent tasks (which count as %.1f by weight) do not include", r.Independent)
	if !strings.Contains(r.TailWords(), want) {
		t.Errorf("%q is not in %q", want, r.TailWords())
	}
}
