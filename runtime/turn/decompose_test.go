package turn

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/runtime/memory"
)

func TestDecompose(t *testing.T) {
	lex := memory.NewLexicon()
	for goal, want := range map[string][]string{
		"What is the price of A-1?":                                                nil,
		"Compare the price of A-1 and B-2":                                         {"What is the price of A-1?", "What is the price of B-2?"},
		"Compare A-1 and B-2 by unit price":                                        {"What is the unit price of A-1?", "What is the unit price of B-2?"},
		"Compare the price of A-1, B-2 and C-3.":                                   {"What is the price of A-1?", "What is the price of B-2?", "What is the price of C-3?"},
		"Which is cheaper, A-1 or B-2?":                                            {"What is the price of A-1?", "What is the price of B-2?"},
		"Which service has the higher timeout: billing or search?":                 {"What is the timeout of billing?", "What is the timeout of search?"},
		"What is the difference between the price of A-1 and B-2?":                 {"What is the price of A-1?", "What is the price of B-2?"},
		"First find who owns billing, then find their phone":                       {"find who owns billing", "find their phone"},
		"Find the owner of billing and then list the files in docs":                {"Find the owner of billing", "list the files in docs"},
		"Design a menu and calculate 3 * 4":                                        {"Design a menu", "calculate 3 * 4"},
		"Find the line `first this, then that` in a.md":                            nil,
		"Compare A-1 and A-1":                                                      nil,
		"What is the next release date of Falcon?":                                 nil,
		"If the build fails, then who is paged?":                                   nil,
		"What happens next, and who decides?":                                      nil,
		"Can you compare A-1 and B-2 by price?":                                    {"What is the price of A-1?", "What is the price of B-2?"},
		"Design a menu and write the recipes":                                      {"Design a menu", "write the recipes"},
		"Design an API and a database schema":                                      {"Design an API", "Design a database schema"},
		"1. Find the owner of billing\n2. List the files in docs":                  {"Find the owner of billing", "List the files in docs"},
		"First, find the owner. Second, list the files. Third, count them":         {"find the owner", "list the files", "count them"},
		"Read notes.md then summarize it":                                          {"Read notes.md", "summarize it"},
		"Salt and pepper":                                                          nil,
		"First open a, then read b c, then count d e, then sum f g, then list h i": {"read b c", "count d e", "sum f g", "list h i"},
	} {
		p := decompose(lex, goal, 4)
		var got []string
		for _, s := range p.Subgoals {
			got = append(got, s.Goal)
		}
		if strings.HasPrefix(goal, "First open a") {
			want = []string{"open a", "read b c", "count d e", "sum f g"}
			if p.Note == "" {
				t.Error("what was left out is not noted")
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (%s): %s", goal, p.Note, diff)
		}
	}
}

// TestDecomposeBounds tests that a goal gets between two and the allowed number of
// distinct parts, or none, with consistent scores.
func TestDecomposeBounds(t *testing.T) {
	lex := memory.NewLexicon()
	word := rapid.SampledFrom([]string{
		"compare", "find", "first", "then", "and", "the", "price", "of", "A-1", "B-2", "list", "owner", ",", "design", "it", "or", "which", "is", "cheaper", "\"x then y\"",
	})
	rapid.Check(t, func(t *rapid.T) {
		goal := strings.Join(rapid.SliceOfN(word, 0, 25).Draw(t, "goal"), " ")
		most := rapid.IntRange(2, 4).Draw(t, "most")
		p := decompose(lex, goal, most)
		n := len(p.Subgoals)
		if n == 1 || n > most {
			t.Fatalf("%d subgoals, at most %d", n, most)
		}
		if (n == 0) != (p.GoalType == atomic) || (n == 0 && p.Complexity != .1) || p.Complexity > 1 {
			t.Fatalf("%+v", p)
		}
		seen := map[string]bool{}
		for _, s := range p.Subgoals {
			if s.Goal == goal || seen[s.Goal] || s.Type == "" {
				t.Fatalf("%+v", p)
			}
			seen[s.Goal] = true
		}
	})
}

func TestOverlapLeavesTheParentOut(t *testing.T) {
	lex := memory.NewLexicon()
	parts := []subgoal{{Goal: "survey red kites nesting"}, {Goal: "survey red kites flying"}}
	if why := refuse(lex, "birds", parts); why != "subgoals overlap" {
		t.Errorf("%q", why)
	}
	if why := refuse(lex, "survey red birds", parts); why != "" {
		t.Errorf("%q", why)
	}
	if why := refuse(lex, "red kites", []subgoal{{Goal: "a b"}, {Goal: "watch red kites"}}); why != "a subgoal repeats the goal" {
		t.Errorf("%q", why)
	}
}
