package operator

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/runtime/agent"
)

// anyThree draws three configs from one space. Two of them are derived from the third, the
// ancestor, by some operators.
func anyThree(t *rapid.T) (space agent.Space, a, b, ancestor agent.Config) {
	s, rng := anyContext(t)
	away := func(c agent.Config, steps int) agent.Config {
		for range steps {
			op := Standard(lexicon)[rng.IntN(5)] // the operators that change single parameters
			if m, ok := op.Make(FailureContext{Space: s.Space, Champion: s.Champion, Parent: c}, rng); ok {
				c = m.Config
			}
		}
		return c
	}
	ancestor = s.Parent
	return s.Space, away(ancestor, rapid.IntRange(0, 4).Draw(t, "steps")), away(ancestor, rapid.IntRange(0, 4).Draw(t, "other steps")), ancestor
}

func TestLawsOfMerging(t *testing.T) {
	clean, clashing := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		for range 10 { // to make few checks suffice
			if aMerge(t) {
				clashing++
			} else {
				clean++
			}
		}
	})
	if clean == 0 || clashing == 0 {
		t.Errorf("%d merges without and %d with conflicts: not both were tried", clean, clashing)
	}
}

// aMerge checks the laws for one merge and reports whether it had conflicts.
func aMerge(t *rapid.T) (conflict bool) {
	space, a, b, ancestor := anyThree(t)
	equalTo := func(what string, x, y, o, want agent.Config) {
		got, conflicts := Merge(space, x, y, o)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%s: %s", what, d)
		}
		if len(conflicts) > 0 {
			t.Fatalf("%s: a conflict over %v", what, conflicts)
		}
	}
	equalTo("merged with itself", a, a, ancestor, a)
	equalTo("merged with the ancestor", a, ancestor, ancestor, a)
	equalTo("the ancestor merged with it", ancestor, b, ancestor, b)
	ab, conflicts := Merge(space, a, b, ancestor)
	ba, reverse := Merge(space, b, a, ancestor)
	validate(t, space, ab)
	if (len(conflicts) == 0) != (len(reverse) == 0) {
		t.Fatalf("conflicts one way only: %v and %v", conflicts, reverse)
	}
	if len(conflicts) == 0 && !ab.Equal(ba) {
		t.Fatalf("the order matters without a conflict: %s", cmp.Diff(ab, ba))
	}
	return len(conflicts) > 0
}

func TestMergeOfTexts(t *testing.T) {
	for _, c := range []struct{ name, old, mine, theirs, want, conflict string }{
		{"each adds in its own place", "a\nb", "a\nx\nb", "a\nb\ny", "a\nx\nb\ny", ""},
		{"one drops, one adds", "a\nb", "b", "a\nb\ny", "b\ny", ""},
		{"both add the same", "a", "a\nx", "a\nx", "a\nx", ""},
		{"the same in two places", "a\nb", "x\na\nb", "a\nb\nx", "x\na\nb", ""},
		{"both add at the end", "a", "a\nmine", "a\ntheirs", "a\ntheirs\nmine", "with the parent's lines last"},
		{"both add, one in common", "a", "a\nx\nmine", "a\nx\ntheirs", "a\ntheirs\nx\nmine", "with the parent's lines last"},
		{"both rewrite one line", "a\nb\nc", "a\nB\nc", "a\nβ\nc", "a\nB\nc", "as in the parent"},
		{"one rewrites, one drops", "a\nb\nc", "a\nB\nc", "a\nc", "a\nB\nc", ""},
		{"both drop", "a\nb", "a", "a", "a", ""},
		{"from nothing", "", "mine", "theirs", "theirs\nmine", "with the parent's lines last"},
		{"a final line break stays", "a\n", "a\nx\n", "a\n", "a\nx\n", ""},
		{"too long together", "a", "a\n" + strings.Repeat("x", 25), "a\n" + strings.Repeat("y", 25), "a\n" + strings.Repeat("x", 25), "as in the parent, because together they are too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, conflict := mergeTexts(agent.Param{Kind: agent.Text, MaxChars: 40}, c.mine, c.theirs, c.old)
			if got != c.want || conflict != c.conflict {
				t.Errorf("got %q (%s), want %q (%s)", got, conflict, c.want, c.conflict)
			}
		})
	}
	long := strings.Repeat("a\n", 2000)
	if got, conflict := mergeTexts(agent.Param{}, long+"x", long+"y", long); got != long+"x" || conflict == "" {
		t.Errorf("a text too long to compare was merged (%s)", conflict)
	}
}

func TestMergeOfMembersKeepsTheBounds(t *testing.T) {
	p := agent.Param{Name: "tools", Kind: agent.Subset, Of: []string{"a", "b", "c", "d"}, MinItems: 1, MaxItems: 3, Default: []string{"a"}}
	list := func(s string) any { return strings.Split(s, "") }
	for _, c := range []struct{ old, mine, theirs, want, conflict string }{
		{"ab", "abc", "a", "ac", ""},
		{"ab", "a", "b", "a", "as in the parent, because min and max leave no room for both"},
		{"ab", "abc", "abd", "abc", "as in the parent, because min and max leave no room for both"},
		{"a", "ab", "c", "bc", ""},
	} {
		got, conflict := mergeValue(p, list(c.mine), list(c.theirs), list(c.old))
		if !cmp.Equal(got, list(c.want)) || conflict != c.conflict {
			t.Errorf("%s and %s from %s is %v (%s), want %s (%s)", c.mine, c.theirs, c.old, got, conflict, c.want, c.conflict)
		}
	}
}

func TestMergeTellsWhatItTookAndWhatClashed(t *testing.T) {
	space := agent.Space{Params: []agent.Param{
		{Name: "steps", Kind: agent.Int, Min: 1, Max: 9, Default: int64(5)},
		{Name: "mode", Kind: agent.Choice, Values: []any{"x", "y", "z"}, Default: "x"},
	}}
	ancestor := space.Default()
	parent := agent.Config{"steps": int64(5), "mode": "y"}
	other := agent.Config{"steps": int64(7), "mode": "z"}
	c, ok := merge{}.Make(FailureContext{Space: space, Parent: parent, Other: other, Ancestor: ancestor}, rand.New(rand.NewPCG(1, 1)))
	want := "what " + other.ID().Short() + " changed since " + ancestor.ID().Short() + ": steps 5 → 7; both changed mode (as in the parent)"
	if !ok || c.Rationale != want || !c.Both || c.Config.String("mode") != "y" {
		t.Errorf("%+v, want %s", c, want)
	}
}
