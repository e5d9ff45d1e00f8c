package operator

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"evolve/runtime/agent"
)

func TestRevival(t *testing.T) {
	space := agent.Space{Params: []agent.Param{
		{Name: "text", Kind: agent.Text, MaxChars: 99, Default: ""},
		{Name: "tools", Kind: agent.Subset, Of: []string{"a", "b", "c"}, Default: []string{"a"}},
		{Name: "mode", Kind: agent.Choice, Values: []any{"x", "y", "z"}, Default: "x"},
	}}
	config := func(text, mode string, tools ...string) agent.Config {
		return agent.Config{"text": text, "mode": mode, "tools": append([]string{}, tools...)}
	}
	was := []agent.Config{config("old\nkept", "y", "a", "b"), config("oldest", "x", "a")}
	parent := config("kept", "z", "a")
	for _, c := range []struct {
		name  string
		child agent.Config
		want  float64
	}{
		{"nothing", parent, 0},
		{"a new line", config("kept\nnew", "z", "a"), 0},
		{"a line comes back", config("kept\nold", "z", "a"), 1},
		{"a line comes back with other space around it", config("kept\n  old\n\n", "z", "a"), 1},
		{"a line of long ago", config("oldest\nkept", "z", "a"), 1},
		{"an old line in the place of another", config("old", "z", "a"), 1},
		{"one old, one new", config("kept\nold\nnew", "z", "a"), 0.5},
		{"only less", config("", "z", "a"), 0},
		{"a member comes back", config("kept", "z", "a", "b"), 1},
		{"a new member", config("kept", "z", "a", "c"), 0},
		{"a value comes back", config("kept", "y", "a"), 1},
		{"a value of long ago and two new things", config("kept\nnew", "x", "a", "c"), 1.0 / 3},
	} {
		got, back := Revival(space, parent, c.child, was)
		if math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v (%v)", c.name, got, c.want, back)
		}
		reason, refused := Refuse(FailureContext{Space: space, Parent: parent, Lineage: was}, Child{Config: c.child, Operator: "directive"})
		if refused != (c.want > 0.5) || refused == (reason == "") {
			t.Errorf("%s: refused %v: %s", c.name, refused, reason)
		}
		if _, refused := Refuse(FailureContext{Space: space, Parent: parent, Lineage: was}, Child{Config: c.child, Operator: Reset}); refused {
			t.Errorf("%s: a reset is refused", c.name)
		}
	}
}

func TestRevivalIsAShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, rng := anyContext(t)
		child := Random(s.Space, s.Champion, rng)
		share, back := Revival(s.Space, s.Parent, child, s.Lineage)
		if !(share >= 0 && share <= 1) || (share > 0) != (len(back) > 0) {
			t.Fatalf("%v: %v", share, back)
		}
		if len(s.Lineage) == 0 && share > 0 {
			t.Fatal("something comes back from nowhere")
		}
		if whole, _ := Revival(s.Space, s.Parent, child, append(s.Lineage, child)); whole < share {
			t.Fatal("a longer lineage revives less")
		}
	})
}
