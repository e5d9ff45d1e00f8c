package turn

import (
	"encoding/json"
	"strings"
	"testing"

	"evolve/runtime/agent"
)

// TestNoTools tests that an agent without tools sends no tools, names none in its rules,
// and has a correspondingly shorter prompt.
func TestNoTools(t *testing.T) {
	tasks := []agent.Task{{Goal: "Name a colour."}}
	prompt := func(tools []string) (string, int) {
		o := Options{Routes: []string{"default"}, Tools: tools}
		space := LanguageSpace(nil, tools, nil, nil)
		sent, _, _ := strings.Cut(trace(t, o, tasks, space, space.Default()), "\n")
		var body struct{ Messages []struct{ Content string } }
		if err := json.Unmarshal([]byte(sent), &body); err != nil {
			t.Fatal(err)
		}
		return body.Messages[0].Content, len(sent) / 4
	}
	rules, few := prompt([]string{})
	for _, word := range []string{"tool", "refer", "call"} {
		if strings.Contains(strings.ToLower(rules), word) {
			t.Errorf("the rules name %q:\n%s", word, rules)
		}
	}
	_, all := prompt(nil)
	if few > 200 || all < 1000 {
		t.Errorf("a request has about %d tokens, and %d with all tools", few, all)
	}
	t.Logf("about %d tokens, and %d with all tools", few, all)
	heuristic, err := New(Options{Tools: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	if names := heuristic.registry.Names(); len(names) != 0 {
		t.Errorf("a heuristic agent without tools has %v", names)
	}
	if res := heuristic.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "What is 2 + 2?"}}); res.Usage.ToolCalls != 0 {
		t.Errorf("it makes %d calls", res.Usage.ToolCalls)
	}
}
