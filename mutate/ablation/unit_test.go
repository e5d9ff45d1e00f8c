package ablation

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/mutate/operator"
	"evolve/runtime/agent"
)

// wide returns a space with a parameter of every kind, one of them conditional.
func wide() agent.Space {
	return agent.Space{Params: []agent.Param{
		{Name: "steps", Kind: agent.Int, Min: 1, Max: 64, Log: true, Default: int64(4)},
		{Name: "planner", Kind: agent.Choice, Values: []any{"none", "linear", "tree"}, Default: "none"},
		{Name: "depth", Kind: agent.Int, Min: 1, Max: 9, Default: int64(2), When: map[string][]any{"planner": {"tree"}}},
		{Name: "terse", Kind: agent.Bool, Default: false, When: map[string][]any{"planner": {"none"}}},
		{Name: "tools", Kind: agent.Subset, Of: []string{"calculate", "grep", "read", "write"}, MinItems: 1, MaxItems: 3, Default: []string{"grep"}},
		{Name: "strategy", Kind: agent.Text, MaxChars: 60, Default: ""},
	}}
}

func parse(t testing.TB, raw map[string]any) agent.Config {
	t.Helper()
	c, problems := wide().Parse(raw)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return c
}

func TestUnits(t *testing.T) {
	champion := parse(t, map[string]any{"steps": int64(8), "tools": []string{"grep", "read"}, "terse": true, "strategy": "be kind\nbe quick\nask"})
	winner := parse(t, map[string]any{
		"steps": int64(8), "planner": "tree", "depth": int64(5), "tools": []string{"calculate", "grep", "write"}, "strategy": "be kind\nbe exact\nask\ncite",
	})
	c := newChange(wide(), champion, winner, false)
	var names []string
	for i := range c.units {
		names = append(names, c.name(i))
	}
	// The change of terse follows from that of planner; steps did not change.
	if d := cmp.Diff([]string{"planner", "depth", "tools + calculate", "tools − read", "tools + write", "strategy − be quick + be exact", "strategy + cite"}, names); d != "" {
		t.Fatal(d)
	}
	for _, tt := range []struct {
		name string
		back []int
		want map[string]any
	}{
		{"nothing", nil, winner},
		{"all", []int{0, 1, 2, 3, 4, 5, 6}, champion},
		// Without the tree there is no depth, and terse has the champion's value.
		{"the planner", []int{0}, map[string]any{"steps": int64(8), "planner": "none", "terse": true, "tools": winner["tools"], "strategy": winner["strategy"]}},
		{"the depth", []int{1}, map[string]any{"steps": int64(8), "planner": "tree", "depth": int64(2), "tools": winner["tools"], "strategy": winner["strategy"]}},
		{"a line and a member", []int{2, 5}, map[string]any{
			"steps": int64(8), "planner": "tree", "depth": int64(5), "tools": []string{"grep", "write"}, "strategy": "be kind\nbe quick\nask\ncite",
		}},
		{"too many members", []int{3}, nil},
	} {
		got, ok := c.setBack(set{}.with(tt.back...))
		if ok != (tt.want != nil) {
			t.Errorf("%s: possible %v", tt.name, ok)
			continue
		}
		if d := cmp.Diff(agent.Config(tt.want), got); ok && d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

func TestAListOfFixedSizeGoesBackAsAWhole(t *testing.T) {
	space := agent.Space{Params: []agent.Param{{Name: "two", Kind: agent.Subset, Of: []string{"a", "b", "c"}, MinItems: 2, MaxItems: 2, Default: []string{"a", "b"}}}}
	c := newChange(space, space.Default(), agent.Config{"two": []string{"b", "c"}}, false)
	if len(c.units) != 1 || c.name(0) != "two" {
		t.Errorf("units %+v", c.units)
	}
}

// TestEditsLeadFromOneTextToTheOther checks that edits lead from one text to the other in
// both directions, and that each edit changes at most one line.
func TestEditsLeadFromOneTextToTheOther(t *testing.T) {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "", "d e"}), 0, 7)
	rapid.Check(t, func(t *rapid.T) {
		old, now := strings.Join(lines.Draw(t, "old"), "\n"), strings.Join(lines.Draw(t, "now"), "\n")
		edits := editsOf(old, now, mostEdits)
		if edits == nil && old != now && len(operator.SplitLines(old)) <= mostEdits && len(operator.SplitLines(now)) <= mostEdits && len(operator.SplitLines(old))+len(operator.SplitLines(now)) > 0 {
			t.Skip("rewritten")
		}
		if edits == nil {
			return
		}
		all := map[int]bool{}
		for i, e := range edits {
			all[i] = true
			if before, after := len(operator.SplitLines(render(edits, nil))), len(operator.SplitLines(render(edits, map[int]bool{i: true}))); e.changes() && (after-before > 1 || before-after > 1) && before > 1 && after > 1 {
				t.Fatalf("undoing %q turns %d lines into %d", e, before, after)
			}
		}
		if got := render(edits, nil); got != now {
			t.Fatalf("with all edits %q, want %q", got, now)
		}
		if got := render(edits, all); got != old {
			t.Fatalf("without any %q, want %q", got, old)
		}
	})
}

func TestARewrittenTextGoesBackAsAWhole(t *testing.T) {
	if e := editsOf("a\nb\nc\nd\ne\nf\ng\nh\ni", "1\n2\n3\n4\n5\n6\n7\n8\n9", mostEdits); e != nil {
		t.Errorf("%d edits", len(e))
	}
}
