package turn

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
)

// TestIdle tests which parameters cannot have an effect, and under which circumstances they
// can.
func TestIdle(t *testing.T) {
	long := map[string]string{"SOUL.md": strings.Repeat("Be kind. ", 4000)}
	code := []agent.Task{{Goal: "Which functions does this package import?"}}
	for name, c := range map[string]struct {
		c    Circumstances
		want []string
	}{
		"heuristic": {
			Circumstances{Memories: 1, Tasks: code},
			[]string{
				"bootstrap.token_budget", "delegate.above", "delegate.below", "distill.threshold_messages", "distill.threshold_tokens",
				"notes.token_budget", "routes.engineering", "routes.research", "temperature.engineering", "temperature.research", "tools.expire_turns",
			},
		},
		"heuristic without memories": {
			Circumstances{Bootstrap: long, Tasks: code},
			[]string{
				"delegate.above", "delegate.below", "distill.threshold_messages", "distill.threshold_tokens", "notes.token_budget",
				"recall.max_memories", "recall.min_score", "recall.mmr_lambda", "recall.token_budget",
				"routes.engineering", "routes.research", "temperature.engineering", "temperature.research", "tools.expire_turns",
			},
		},
		"language": {
			Circumstances{Language: true, Allowed: []string{"memory_add"}, Tasks: append([]agent.Task{{Goal: "Compare the price of the lock and the hinge"}}, code...)},
			[]string{
				"bootstrap.token_budget", "decompose.max_subgoals", "delegate.above", "delegate.below", "distill.threshold_messages", "distill.threshold_tokens",
				"notes.token_budget", "routes.research", "temperature.research",
				"tools.cutoff", "tools.pattern_weight", "tools.performance_weight",
			},
		},
		"language with turns, long files and no memory": {
			Circumstances{
				Language: true, Bootstrap: long, Tools: []string{"grep"},
				Tasks: []agent.Task{{Domain: "research", Goal: "go on", Messages: []agent.Message{{Role: "user", Content: "begin"}}}},
			},
			[]string{
				"decompose.enabled", "decompose.max_subgoals", "delegate.above", "delegate.below", "notes.token_budget",
				"recall.max_memories", "recall.min_score", "recall.mmr_lambda", "recall.token_budget",
				"routes.engineering", "temperature.engineering", "tools.cutoff", "tools.expire_turns", "tools.pattern_weight", "tools.performance_weight",
			},
		},
		"a conversation": {
			Circumstances{Memories: 1, Language: true, Tools: []string{"grep"}, Tasks: []agent.Task{
				{ID: "t", Domain: "research", Goal: "begin"}, {ID: "t", Domain: "research", Goal: "go on", Messages: []agent.Message{{Role: "user", Content: "begin"}}},
			}},
			[]string{
				"bootstrap.token_budget", "decompose.enabled", "decompose.max_subgoals", "delegate.above", "delegate.below", "routes.engineering", "temperature.engineering",
				"tools.cutoff", "tools.expire_turns", "tools.pattern_weight", "tools.performance_weight",
			},
		},
	} {
		space := DefaultSpace([]string{"engineering", "research"}, nil, []string{"default", "code"})
		if diff := cmp.Diff(c.want, slices.Sorted(maps.Keys(Idle(space, c.c)))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
