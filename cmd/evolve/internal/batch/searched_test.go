package batch

import (
	"slices"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/bench"
)

// TestSearchedTasksAreNotUnseen tests that holdout tasks that the search of an earlier
// night used take no part in a confirmation, whatever their ids are now. This must hold
// both if that night recorded what it searched and if an older version of evolve ran it.
func TestSearchedTasksAreNotUnseen(t *testing.T) {
	for name, older := range map[string]bool{"recorded": false, "older evolve": true} {
		t.Run(name, func(t *testing.T) {
			w, a := toyWorkspace(t, 40), archive.OpenMemory()
			o := toyOptions(w, a, toyAgent(40), 200)
			first, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if older {
				p := first.Plans[0]
				p.Searched = nil
				if err := a.PutPlan(t.Context(), p); err != nil {
					t.Fatal(err)
				}
			} else if n := len(first.Plans[0].Searched); n != 20 {
				t.Errorf("%d search tasks recorded, not 20", n)
			}
			again, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if again.Plans[0].HoldoutTasks != 20 {
				t.Errorf("%d holdout tasks on the same suite", again.Plans[0].HoldoutTasks)
			}
			if got := len(again.Plans[0].Searched) > 0; got != older {
				t.Errorf("the second night records its search tasks: %v", got)
			}
			if older { // the state from before the second night
				p := again.Plans[0]
				p.Searched = nil
				if err := a.PutPlan(t.Context(), p); err != nil {
					t.Fatal(err)
				}
			}

			suite := w.Suites["toys"]
			suite.Tasks, suite.Hash = slices.Clone(suite.Tasks), "rebuilt"
			moved := map[string]bool{}
			for i := range suite.Tasks {
				task := &suite.Tasks[i]
				if i >= 8 {
					continue
				}
				if task.Split == bench.Search {
					task.Split = bench.Holdout
					if !older {
						task.ID = "renamed " + task.ID
					}
					moved[task.ID] = true
				} else {
					task.Split = bench.Search
				}
			}
			o.Open = toyOptions(w, a, toyAgent(40), 200).Open
			third, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			p := third.Plans[0]
			if len(moved) == 0 || p.HoldoutTasks != 20-(8-len(moved)) || !slices.ContainsFunc(p.Warnings, func(s string) bool {
				return strings.HasPrefix(s, SearchedWords(len(moved)))
			}) {
				t.Errorf("%d holdout tasks, %d moved: %q", p.HoldoutTasks, len(moved), p.Warnings)
			}
			for e, err := range a.Evaluations(t.Context(), third.Run.ID, "toy") {
				if err != nil {
					t.Fatal(err)
				}
				if e.Split == bench.Holdout && moved[e.Task] {
					t.Fatalf("%s was measured as unseen", e.Task)
				}
			}
		})
	}
}
