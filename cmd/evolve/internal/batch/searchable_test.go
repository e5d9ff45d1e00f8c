package batch

import (
	"errors"
	"testing"

	"evolve/archive"
	"evolve/bench"
)

// TestNothingToSearchOn checks that if there are no search tasks, both the plan of a run
// and the run itself are refused before anything is recorded.
func TestNothingToSearchOn(t *testing.T) {
	w := toyWorkspace(t, 8)
	for i := range w.Suites["toys"].Tasks {
		w.Suites["toys"].Tasks[i].Split = bench.Aside
	}
	store := archive.OpenMemory()
	o := toyOptions(w, store, toyAgent(8), 100)
	var none *NoSearchTasksError
	if _, err := Prepare(t.Context(), o); !errors.As(err, &none) {
		t.Errorf("planned: %v", err)
	}
	if _, err := Run(t.Context(), o); !errors.As(err, &none) || none.Agent != "toy" {
		t.Errorf("ran: %v", err)
	}
	if _, err := store.Run(t.Context(), ""); !errors.Is(err, archive.ErrNotFound) {
		t.Errorf("a run is on record: %v", err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}
