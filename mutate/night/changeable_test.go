package night

import (
	"testing"

	"evolve/mutate"
	"evolve/runtime/agent"
)

// TestOnlyWhatCanChangeNeedsEvaluations checks that parameters with a single value and
// parameters that exclude each other do not increase the evaluations that the ablation
// needs.
func TestOnlyWhatCanChangeNeedsEvaluations(t *testing.T) {
	when := func(values ...any) map[string][]any { return map[string][]any{"planner": values} }
	s := agent.Space{Params: []agent.Param{
		{Name: "planner", Kind: agent.Choice, Values: []any{"none", "linear", "tree"}},
		{Name: "steps", Kind: agent.Int, Min: 1, Max: 9, When: when("linear", "tree")},
		{Name: "depth", Kind: agent.Int, Min: 1, Max: 9, When: when("tree")},
		{Name: "cut", Kind: agent.Bool, When: map[string][]any{"depth": {int64(3)}, "planner": {"tree"}}},
		{Name: "terse", Kind: agent.Bool, When: when("none")},
		{Name: "model", Kind: agent.Choice, Values: []any{"only"}},
		{Name: "limit", Kind: agent.Float, Min: 2, Max: 2},
		{Name: "tools", Kind: agent.Subset, Of: []string{"a", "b"}, MinItems: 2},
		{Name: "strategy", Kind: agent.Text, MaxChars: 90},
	}}
	// These can change: planner, steps, depth and cut (if planner is tree), and strategy.
	if n := changeable(s); n != 5 {
		t.Errorf("%d can change at once, want 5", n)
	}
	if n := changeable(agent.Space{}); n != 0 {
		t.Errorf("%d of none", n)
	}
	for _, fixed := range []bool{false, true} {
		few, many := want(4000, 40, fixed), want(4000, 40, fixed)
		few.Params, many.Params = changeable(s), len(s.Params)
		a, b := ablateNeed(few.Params, 40, fixed), ablateNeed(many.Params, 40, fixed)
		if a >= b || allocate(few).Ablate > allocate(many).Ablate {
			t.Errorf("fixed %v: %d and %d evaluations are needed", fixed, a, b)
		}
	}
}

// TestFinalistsShareTheEvaluations checks that the finalists of an agent with randomness
// share the evaluations in proportion to their numbers of changes.
func TestFinalistsShareTheEvaluations(t *testing.T) {
	m := &minimisation{night: &night{}, left: 400}
	m.Agent.Champion = agent.Config{"a": int64(1), "b": "x", "c": true}
	three := mutate.Estimate{Config: agent.Config{"a": int64(2), "b": "y", "c": false}}
	one := mutate.Estimate{Config: agent.Config{"a": int64(1), "b": "y", "c": true, "d": true}} // d depends on b
	if n := m.share([]mutate.Estimate{three, one}); n != 300 {
		t.Errorf("three changes beside one get %d of 400", n)
	}
	if n := m.share([]mutate.Estimate{one}); n != 400 {
		t.Errorf("the last gets %d of 400", n)
	}
	m.Agent.Deterministic = true
	if n := m.share([]mutate.Estimate{three, one}); n != 400 {
		t.Errorf("without chance the first may take %d of 400", n)
	}
}
