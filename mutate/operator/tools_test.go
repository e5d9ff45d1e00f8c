package operator

import (
	"math/rand/v2"
	"strings"
	"testing"

	"evolve/runtime/agent"
)

func TestToolsAreChangedByTheirHealth(t *testing.T) {
	param := agent.Param{Name: "tools.selection", Kind: agent.Subset, Of: []string{"read", "grep", "web", "sum"}, Default: []string{"read", "grep"}}
	for _, c := range []struct {
		name   string
		least  int
		most   int
		health []ToolHealth
		want   []string // every possible resulting selection
	}{
		{"one fails", 0, 0, []ToolHealth{{"read", 9, 0}, {"grep", 9, 8}, {"web", 5, 0}, {"sum", 5, 0}}, []string{"read"}},
		{"one fails, one untried", 0, 0, []ToolHealth{{"read", 9, 0}, {"grep", 9, 8}, {"web", 5, 0}}, []string{"read", "read sum", "read grep sum"}},
		{"one fails and the size is fixed", 2, 2, []ToolHealth{{"read", 9, 0}, {"grep", 9, 8}}, []string{"read web", "read sum"}},
		{"all is well and all was tried", 0, 0, []ToolHealth{{"read", 9, 0}, {"grep", 9, 1}, {"web", 1, 1}, {"sum", 5, 5}}, nil},
		{"two calls are too few to judge", 0, 0, []ToolHealth{{"read", 2, 2}, {"grep", 2, 2}, {"web", 1, 0}, {"sum", 1, 0}}, nil},
		{"nothing is known", 0, 0, nil, nil},
		{"nothing is known of these", 0, 0, []ToolHealth{{"hammer", 9, 9}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := param
			p.MinItems, p.MaxItems = c.least, c.most
			space := agent.Space{Params: []agent.Param{p}}
			seen := map[string]bool{}
			for seed := range uint64(100) {
				child, ok := tools{}.Make(FailureContext{Space: space, Parent: space.Default(), Health: c.health}, rand.New(rand.NewPCG(seed, 3)))
				if ok {
					list, _ := child.Config.List(p.Name)
					seen[strings.Join(list, " ")] = true
				}
			}
			for _, w := range c.want {
				if !seen[w] {
					t.Errorf("%s never came out", w)
				}
				delete(seen, w)
			}
			if len(seen) > 0 {
				t.Errorf("came out: %v", seen)
			}
		})
	}
}
