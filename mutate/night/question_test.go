package night

import (
	"errors"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/bench"
)

// TestQuestionsOfHoldout checks that a night stores the questions and expected answers of
// its holdout tasks, without credentials, and nothing from the search tasks.
func TestQuestionsOfHoldout(t *testing.T) {
	o := newNights(t, 8)
	for i := range o.suite().Tasks {
		o.suite().Tasks[i].Goal = "say yes to hunter2"
	}
	s := o.begin(t)
	s.Scrub = func(text string) string { return strings.ReplaceAll(text, "hunter2", "[redacted]") }
	n := newNight(s)
	if err := n.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(n.sample.Holdout) == 0 || len(n.sample.Search) == 0 {
		t.Fatal("the tasks are all on one side")
	}
	for _, task := range n.sample.Holdout {
		q, err := o.Archive.Question(t.Context(), n.Plan.SuiteHash, task.ID)
		if want := "say yes to [redacted]\n" + string(task.Input); err != nil || q.Goal != want || q.Expected != "yes" {
			t.Errorf("task %s: %+v, %v", task.ID, q, err)
		}
	}
	for _, task := range append(n.sample.Search, &bench.Task{ID: "t99"}) {
		if q, err := o.Archive.Question(t.Context(), n.Plan.SuiteHash, task.ID); !errors.Is(err, archive.ErrNotFound) {
			t.Errorf("the search task %s is stored: %+v, %v", task.ID, q, err)
		}
	}
}
