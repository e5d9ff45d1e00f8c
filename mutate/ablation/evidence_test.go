package ablation

import (
	"math"
	"slices"
	"testing"

	"evolve/mutate"
	"evolve/runtime/agent"
)

// TestEvidenceFromTheStart checks that an evaluation known from the start counts once,
// and that an evaluation added to the same list later counts only after it has been told.
// Of several evaluations for the same task and repeat, the first counts.
func TestEvidenceFromTheStart(t *testing.T) {
	observation := func(id agent.ConfigID, task string, repeat int, score float64) mutate.Observation {
		return mutate.Observation{Trial: mutate.Trial{Variant: id, Task: task, Repeat: repeat}, Scored: score >= 0, Score: score}
	}
	list := []mutate.Observation{
		observation("a", "t0", 0, .5), observation("a", "t0", 0, 1), observation("b", "t0", 0, .25), observation("b", "t1", 0, -1),
		observation("b", "t1", 0, 1), observation("a", "t1", 1, 1), observation("c", "gone", 0, 1), observation("a", "t1", -1, 1),
	}
	e := newEvidence([]mutate.Task{{ID: "t0"}, {ID: "t1"}}, func(yield func(mutate.Observation) bool) {
		for _, o := range list {
			if !yield(o) {
				return
			}
		}
	})
	list = append(list, observation("b", "t0", 1, 1))
	if ease := e.ease([]spot{{0, 0}, {1, 0}}); !slices.Equal(ease, []float64{375, 0}) {
		t.Errorf("the mean scores are %v", ease)
	}
	if score, ok := e.score("a", spot{0, 0}); !ok || score != .5 {
		t.Errorf("the score is %v", score)
	}
	if score, ok := e.score("b", spot{1, 0}); ok || !e.has("b", spot{1, 0}) {
		t.Errorf("an evaluation without a score has %v", score)
	}
	if e.has("b", spot{0, 1}) {
		t.Error("an evaluation counts that was not told")
	}
	e.add(observation("b", "t0", 1, .75))
	e.add(observation("d", "t0", 1, math.NaN()))
	if score, ok := e.score("b", spot{0, 1}); !ok || score != .75 || !e.has("d", spot{0, 1}) {
		t.Errorf("a told score is %v", score)
	}
	if n, m, none := e.scored("a"), e.scored("b"), e.scored("c"); n != 2 || m != 2 || none != 0 {
		t.Errorf("%d, %d and %d scores", n, m, none)
	}
}
