package model

import (
	"fmt"
	"testing"

	"evolve/archive"
	"evolve/bench"
	"evolve/runtime/agent"
)

// TestHeat checks the means, the order of the tasks, and the groups of the tasks.
func TestHeat(t *testing.T) {
	b := builder{headline: -1, tally: &tally{tried: newTried(false)}, plan: archive.AgentPlan{Champion: "c"}, variants: map[agent.ConfigID]archive.Variant{"c": {ID: "c", Number: 1}, "v": {ID: "v", Number: 2}, "w": {ID: "w", Number: 3}}}
	b.out.Rejected = []Rejection{{Variant: Ref{ID: "v"}}, {Variant: Ref{ID: "w"}}}
	enter := func(variant agent.ConfigID, task string, repeat int, score float64) {
		b.tally.tried.enter(bench.Evaluation{Variant: variant, Task: task, Repeat: repeat, Score: score, Stage: bench.StageSearch})
	}
	enter("c", "hard", 0, 0)
	enter("c", "easy", 0, 1)
	enter("c", "half", 0, .5)
	enter("v", "hard", 0, 0)
	enter("v", "easy", 0, 1)
	enter("v", "easy", 1, .5)
	if err := b.heat(); err != nil {
		t.Fatal(err)
	}
	h := b.out.Heat
	if got := fmt.Sprint(h.Columns); got != "[easy half hard]" || len(h.Rows) != 2 {
		t.Fatalf("columns %s, %d rows", got, len(h.Rows))
	}
	if s := h.Rows[1].Scores; h.Rows[1].Variant.Number != 2 || *s[0] != .75 || s[1] != nil || *s[2] != 0 {
		t.Errorf("the scores of v2 are %v %v %v", s[0], s[1], s[2])
	}
	for i := range 500 {
		enter("w", fmt.Sprintf("task-%03d", i), 0, 0)
	}
	if err := b.heat(); err != nil {
		t.Fatal(err)
	}
	if h = b.out.Heat; len(h.Columns) != mostColumns || h.Columns[0] != "easy and 7 more tasks" || len(h.Rows) != 3 || *h.Rows[2].Scores[59] != 0 {
		t.Errorf("%d columns, the first is %q, %d rows", len(h.Columns), h.Columns[0], len(h.Rows))
	}
}
