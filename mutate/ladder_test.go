package mutate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestRungs(t *testing.T) {
	for _, c := range []struct {
		first, most int
		want        []int
	}{
		{2, 32, []int{2, 8, 32}},
		{3, 40, []int{3, 12, 40}},
		{1, 1, []int{1}},
		{2, 2, []int{2}},
		{40, 80, []int{40, 80}},
	} {
		if got := newLadder(c.first, c.most).rungs; !cmp.Equal(got, c.want) {
			t.Errorf("rungs from %d to %d: %v, want %v", c.first, c.most, got, c.want)
		}
	}
}

// The rungs never ask for more evaluations than there are.
func TestRungsFitTasksAndBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, o := anySearch(t, func(o *Options) { o.Budget = rapid.IntRange(1, 1<<30).Draw(t, "large budget") })
		for _, l := range []*ladder{s.main, s.base} {
			for i, n := range l.rungs {
				if n < 1 || i > 0 && n <= l.rungs[i-1] || o.MaxRepeats > 0 && n > len(o.Tasks)*o.MaxRepeats {
					t.Fatalf("rungs %v for %d tasks, %d repeats", l.rungs, len(o.Tasks), o.MaxRepeats)
				}
			}
		}
	})
}

func TestLadderLiftsTheBestOfFour(t *testing.T) {
	l := newLadder(2, 32)
	finish := func(i int, mean float64) *arm {
		a := &arm{index: i, mean: mean}
		l.enter(a)
		a.asked, a.told = 2, 2
		l.finished(a)
		l.finished(a) // told more than once
		return a
	}
	means := []float64{0.1, 0.3, 0.3, 0.2}
	var arms []*arm
	for i, m := range means {
		if l.promote() != nil {
			t.Fatalf("lifted one of %d", i)
		}
		arms = append(arms, finish(i, m))
	}
	if got := l.promote(); got != arms[1] { // the older of two equals
		t.Fatalf("lifted %v", got)
	}
	if l.promote() != nil {
		t.Fatal("lifted a second of four")
	}
	if a := arms[1]; a.target != 8 || a.rung != 1 || l.queue[len(l.queue)-1] != a {
		t.Errorf("the lifted arm: target %d, rung %d", a.target, a.rung)
	}
	for i := range 4 {
		finish(4+i, 0)
	}
	if got := l.promote(); got != arms[2] {
		t.Errorf("then lifted %v", got)
	}
}

// An arm that already has the evaluations of higher rungs does not stick half-way.
func TestLadderCatchesUp(t *testing.T) {
	l := newLadder(1, 16)
	for i := range 16 {
		a := &arm{index: i}
		l.enter(a)
		a.asked, a.told = 20, 20
		l.finished(a)
	}
	lifted := 0
	for l.promote() != nil {
		lifted++
	}
	if lifted != 4+1 || !cmp.Equal(l.reached, []int{16, 4, 1}) {
		t.Errorf("%d lifts, reached %v, want 5 and [16 4 1]", lifted, l.reached)
	}
}

func TestArmCountsRepeats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "tasks")
		a := &arm{repeats: make([]uint16, n), atFewest: n}
		want := make([]int, n)
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			j, next := rapid.IntRange(0, n-1).Draw(t, "task"), rapid.IntRange(-1, 6).Draw(t, "next")
			a.advance(j, next)
			want[j] = max(want[j], next)
			fewest, at := want[0], 0
			for _, w := range want {
				fewest = min(fewest, w)
			}
			for k, w := range want {
				if w == fewest {
					at++
				}
				if int(a.repeats[k]) != w {
					t.Fatalf("repeats %v, want %v", a.repeats, want)
				}
			}
			if a.fewest != fewest || a.atFewest != at {
				t.Fatalf("%v: fewest %d at %d tasks, counted %d at %d", want, fewest, at, a.fewest, a.atFewest)
			}
		}
	})
}
