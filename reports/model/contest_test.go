package model

import (
	"math"
	"testing"

	"evolve/bench"
	"evolve/runtime/agent"
)

// TestPaired checks the difference on the same tasks against the plain formulas for a
// paired sample.
func TestPaired(t *testing.T) {
	list := newTried(false)
	enter := func(variant agent.ConfigID, task string, repeat int, score float64) {
		list.enter(bench.Evaluation{Variant: variant, Task: task, Repeat: repeat, Score: score, Stage: bench.StageSearch})
	}
	for i, task := range []string{"e", "d", "c", "b", "a"} {
		enter("random", task, 0, .1*float64(i))
		enter("search", task, 0, .1*float64(i)+.2) // differences of .2, except .4 on one task
	}
	enter("search", "a", 1, 1)     // the mean of a is .8 instead of .6
	enter("random", "alone", 0, 1) // a task that only one side has does not count
	got, tasks := list.paired("random", "search")
	if tasks != 5 || got == nil {
		t.Fatalf("%+v of %d tasks", got, tasks)
	}
	const mean, se, quantile = .24, .04, 2.776445
	if math.Abs(got.Difference-mean) > 1e-9 || math.Abs(got.Lo-(mean-quantile*se)) > 1e-6 || math.Abs(got.Hi-(mean+quantile*se)) > 1e-6 {
		t.Errorf("%+v", got)
	}
	if got, tasks := list.paired("search", "unknown"); got != nil || tasks != 0 {
		t.Errorf("of an unknown variant: %+v of %d tasks", got, tasks)
	}
}
