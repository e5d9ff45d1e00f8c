package mutate

import (
	"fmt"
	"testing"

	"evolve/runtime/agent"
)

// mixedSpace returns a space with n parameters of all kinds.
func mixedSpace(n int) agent.Space {
	var s agent.Space
	for i := range n {
		p := agent.Param{Name: fmt.Sprintf("p%d", i)}
		switch i % 6 {
		case 0:
			p.Kind, p.Max, p.Default = agent.Float, 1, 0.5
		case 1:
			p.Kind, p.Min, p.Max, p.Log, p.Default = agent.Int, 1, 1000, true, int64(10)
		case 2:
			p.Kind, p.Values, p.Default = agent.Choice, []any{"a", "b", int64(3)}, "a"
		case 3:
			p.Kind, p.Default = agent.Bool, false
		case 4:
			p.Kind, p.Of, p.MinItems, p.Default = agent.Subset, []string{"u", "v", "w"}, 1, []string{"u"}
		case 5:
			p.Kind, p.Min, p.Max, p.Default = agent.Float, -2, 2, 0.0
			p.When = map[string][]any{fmt.Sprintf("p%d", i-2): {false}}
		}
		s.Params = append(s.Params, p)
	}
	return s
}

func makeTasks(n int) []Task {
	list := make([]Task, n)
	for i := range list {
		list[i] = Task{ID: fmt.Sprintf("t%d", i), Weight: 1}
	}
	return list
}

// newSearch is New for tests that use internals.
func newSearch(t testing.TB, o Options) *search {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*search)
}
