package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/bench"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// TestMissingRunsFail tests that a run with a score on only one side counts as failed on
// the other side, and that a run without any score counts for neither side.
func TestMissingRunsFail(t *testing.T) {
	passed := attempt{pass: true}
	tl := tally{
		champion: map[string]map[int]attempt{"a": {0: passed, 1: passed}, "b": {0: {}, 1: passed}},
		variant:  map[string]map[int]attempt{"a": {0: passed}, "c": {1: passed}},
	}
	champion, variant := tl.tries()
	if d := cmp.Diff([]stats.Tries{{Passed: 2, Made: 2}, {Passed: 1, Made: 2}, {Passed: 0, Made: 1}}, champion); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]stats.Tries{{Passed: 1, Made: 2}, {Passed: 0, Made: 2}, {Passed: 1, Made: 1}}, variant); d != "" {
		t.Error(d)
	}
}

// TestCauses tests that the causes of missing data are counted and listed with the most
// frequent first.
func TestCauses(t *testing.T) {
	tl := tally{lost: map[string]int{}, stages: map[bench.Stage]*Stage{}, outcomes: map[agent.Outcome]int{}}
	for cause, n := range map[string]int{"no verdict": 5, "refused": 2, "": 3, "timeout": 1, "reset": 1} {
		for range n {
			tl.add(bench.Evaluation{Stage: bench.StageConfirm, Outcome: agent.Infrastructure, Error: cause})
		}
	}
	want := []Lost{{"no verdict", 5}, {"infrastructure", 3}, {"refused", 2}, {"", 2}}
	if d := cmp.Diff(want, tl.causes()); d != "" {
		t.Error(d)
	}
}
