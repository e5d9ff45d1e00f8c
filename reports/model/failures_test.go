package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
)

// TestFailures checks that only runs with results on both sides count, by their outcome.
func TestFailures(t *testing.T) {
	passed, wrong := attempt{pass: true, outcome: agent.OK}, attempt{outcome: agent.OK}
	crashed, unsure := attempt{outcome: agent.Execution}, attempt{pass: true, outcome: agent.LowUtility}
	list := tally{
		champion: map[string]map[int]attempt{"a": {0: wrong, 1: wrong, 2: crashed}, "b": {0: crashed}, "c": {0: unsure}, "d": {0: wrong}},
		variant:  map[string]map[int]attempt{"a": {0: passed, 1: crashed}, "b": {0: passed}, "c": {0: passed}},
	}
	want := &Failures{Runs: 4, Kinds: []FailureKind{{agent.Execution, 1, 1}, {agent.OK, 2, 0}}}
	if diff := cmp.Diff(want, list.failures()); diff != "" {
		t.Error(diff)
	}
	if f := (&tally{}).failures(); f != nil {
		t.Errorf("without runs: %+v", f)
	}
}
