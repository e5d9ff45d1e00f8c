package turn

import (
	"strings"
	"testing"
	"unicode/utf8"

	"evolve/runtime/memory"
	"evolve/runtime/model"
)

// FuzzDecompose tests that any goal either stays whole or becomes at least two and at most
// the allowed number of different subgoals of known types, none of which is the goal
// itself.
func FuzzDecompose(f *testing.F) {
	for _, s := range situations() {
		f.Add(s.task.Goal, uint8(s.rest.Int("decompose.max_subgoals", 4)))
	}
	for _, goal := range []string{
		"Compare \"a and b\" and `c, d`", "1. Find x\n2. Find y\n3. Find x", "First find a, then find b, finally find c", "if it rains, then find a and find b",
		"\x00\x30\x00 and then \"q\"", "Compare A, B, C, D, E and F by price", strings.Repeat("find a and ", 300) + "find b", "Which is cheaper: x or y?", "compare compare and compare",
		"difference between the a of b and c", "“quoted, then” list x, then list y", "design a x and the y",
	} {
		f.Add(goal, uint8(4))
	}
	lex := memory.NewLexicon()
	f.Fuzz(func(t *testing.T, goal string, most uint8) {
		limit := 2 + int(most)%3
		p := decompose(lex, goal, limit)
		if p.GoalType != atomic && p.GoalType != composite || !(p.Complexity > 0 && p.Complexity <= 1) {
			t.Fatalf("%q: %+v", goal, p)
		}
		if (p.GoalType == composite) != (len(p.Subgoals) > 0) || len(p.Subgoals) == 1 || len(p.Subgoals) > limit {
			t.Fatalf("%q becomes %d subgoals of at most %d", goal, len(p.Subgoals), limit)
		}
		seen := map[string]bool{}
		for _, s := range p.Subgoals {
			if strings.TrimSpace(s.Goal) == "" || s.Goal == goal || seen[s.Goal] || s.Type != kind(s.Goal) {
				t.Errorf("%q has the subgoal %+v", goal, s)
			}
			if utf8.ValidString(goal) && !utf8.ValidString(s.Goal) {
				t.Errorf("%q has the subgoal %q, which is no text", goal, s.Goal)
			}
			seen[s.Goal] = true
		}
		for _, shape := range []model.Shape{model.AnyShape, model.NumberShape, model.DateShape, model.NameShape} {
			if hasShape(goal, shape) && strings.TrimSpace(goal) == "" {
				t.Errorf("%q passes for an answer of shape %q", goal, shape)
			}
		}
	})
}

// FuzzClassify tests that any text is assigned one of the known domains, or none.
func FuzzClassify(f *testing.F) {
	for _, text := range []string{"Restart the server", "code and campaign", "", "hash rate", "\xff\x00", strings.Repeat("code ", 5000)} {
		f.Add(text)
	}
	table := DefaultDomains()
	c := newClassifier(memory.NewLexicon(), table)
	f.Fuzz(func(t *testing.T, text string) {
		domain := c.classify(text)
		if _, known := table[domain]; !known && domain != memory.GlobalDomain {
			t.Errorf("%q is of the domain %q", text, domain)
		}
		if again := c.classify(text); again != domain {
			t.Errorf("%q is of %q, then of %q", text, domain, again)
		}
	})
}
