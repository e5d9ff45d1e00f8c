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

// TestDecomposeBounds tests that a goal is split into at least two and at most the allowed
// number of distinct parts, or not at all, with consistent scores.
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

// TestComparisons tests that every subgoal of a comparison is a sentence that names what is
// compared, and that a goal that merely looks like a comparison stays whole.
func TestComparisons(t *testing.T) {
	lex := memory.NewLexicon()
	for goal, want := range map[string][]string{
		"Compare Postgres and MySQL":                                                              {"Describe Postgres.", "Describe MySQL."},
		"Compare and contrast Postgres and MySQL":                                                 {"Describe Postgres.", "Describe MySQL."},
		"Compare Postgres with MySQL":                                                             {"Describe Postgres.", "Describe MySQL."},
		"Compare Postgres to MySQL.":                                                              {"Describe Postgres.", "Describe MySQL."},
		"Contrast Postgres with MySQL":                                                            {"Describe Postgres.", "Describe MySQL."},
		"Postgres vs MySQL":                                                                       {"Describe Postgres.", "Describe MySQL."},
		"Postgres vs. MySQL: which is faster?":                                                    {"What is the speed of Postgres?", "What is the speed of MySQL?"},
		"Price of LK-204 vs HG-100":                                                               {"What is the Price of LK-204?", "What is the Price of HG-100?"},
		"Compare the red car and the blue car by price":                                           {"What is the price of the red car?", "What is the price of the blue car?"},
		"Compare cheap and expensive hotels":                                                      {"Describe cheap hotels.", "Describe expensive hotels."},
		"Compare the price of cheap and expensive hotels":                                         {"What is the price of cheap hotels?", "What is the price of expensive hotels?"},
		"Compare the first and second quarter by revenue":                                         {"What is the revenue of the first quarter?", "What is the revenue of the second quarter?"},
		"Compare the old and the new contract":                                                    {"Describe the old contract.", "Describe the new contract."},
		"Compare static and dynamic typing":                                                       {"Describe static typing.", "Describe dynamic typing."},
		"Compare cats and domestic dogs":                                                          {"Describe cats.", "Describe domestic dogs."},
		"Compare tea and black coffee":                                                            {"Describe tea.", "Describe black coffee."},
		"Compare red, white and rosé wine by sugar":                                               {"What is the sugar of red wine?", "What is the sugar of white wine?", "What is the sugar of rosé wine?"},
		"Compare the unit prices of A-1 and B-2":                                                  {"Give the unit prices of A-1.", "Give the unit prices of B-2."},
		"Compare A-1 and B-2 by price and weight":                                                 {"Give the price and weight of A-1.", "Give the price and weight of B-2."},
		"Compare the performance of Python and Go for web servers":                                {"What is the performance of Python for web servers?", "What is the performance of Go for web servers?"},
		"Compare sales in May and June":                                                           {"Describe sales in May.", "Describe sales in June."},
		"Compare revenue in 2019 and 2020":                                                        {"Describe revenue in 2019.", "Describe revenue in 2020."},
		"Compare versions 1.2 and 1.3":                                                            {"Describe version 1.2.", "Describe version 1.3."},
		"Compare Ana's and Bo's salary":                                                           {"What is Ana's salary?", "What is Bo's salary?"},
		"Compare Postgres and MySQL and recommend one":                                            {"Describe Postgres.", "Describe MySQL."},
		"Compare A-1 and B-2 and say which is cheaper":                                            {"What is the price of A-1?", "What is the price of B-2?"},
		"Compare the results and write a report":                                                  {"Compare the results", "write a report"},
		"Compare \"salt and pepper\" and \"sugar\"":                                               {"Describe \"salt and pepper\".", "Describe \"sugar\"."},
		"What is the difference between TCP and UDP?":                                             {"Describe TCP.", "Describe UDP."},
		"What's the difference between gross and net salary?":                                     {"Describe gross salary.", "Describe net salary."},
		"Explain the difference between a list and a tuple in Python":                             {"Describe a list in Python.", "Describe a tuple in Python."},
		"What is the difference in price between A-1 and B-2?":                                    {"What is the price of A-1?", "What is the price of B-2?"},
		"What is the difference between A-1 and B-2 in price?":                                    {"What is the price of A-1?", "What is the price of B-2?"},
		"What is the difference between the price of A-1 and that of B-2?":                        {"What is the price of A-1?", "What is the price of B-2?"},
		"How does Postgres compare to MySQL?":                                                     {"Describe Postgres.", "Describe MySQL."},
		"How do cats and dogs differ?":                                                            {"Describe cats.", "Describe dogs."},
		"Which is better, Postgres or MySQL?":                                                     {"Describe Postgres.", "Describe MySQL."},
		"Which is more expensive, A-1 or B-2?":                                                    {"What is the price of A-1?", "What is the price of B-2?"},
		"Which costs more, A-1 or B-2?":                                                           {"What is the price of A-1?", "What is the price of B-2?"},
		"Which has more employees: Acme or Initech?":                                              {"How many employees does Acme have?", "How many employees does Initech have?"},
		"Which of the two is heavier, A-1 or B-2?":                                                {"What is the weight of A-1?", "What is the weight of B-2?"},
		"Compare deploy/a.yaml and deploy/b.yaml by replicas.":                                    {"Give the replicas of deploy/a.yaml.", "Give the replicas of deploy/b.yaml."},
		"Compare how A-1 and B-2 handle errors":                                                   nil,
		"Compare notes with the team":                                                             nil,
		"Compare the two reports":                                                                 nil,
		"Compare the report":                                                                      nil,
		"Compare them":                                                                            nil,
		"Compare 12 and 30":                                                                       nil,
		"What is the difference between 412 and 88?":                                              nil,
		"What is the difference between March 3 and March 9?":                                     nil,
		"Is A-1 cheaper than B-2?":                                                                nil,
		"If A-1 and B-2 differ, compare A-1 and B-2":                                              nil,
		"Arsenal vs Chelsea: who won?":                                                            nil,
		"Summarize the case Roe vs Wade":                                                          nil,
		"Compare the books by Orwell":                                                             nil,
		"What is the difference?":                                                                 nil,
		"Who compared salt and pepper?":                                                           nil,
		"Which file compares A-1 and B-2?":                                                        nil,
		"Compare the prices of Berlin and Munich and tell me which one is cheaper":                {"Give the prices of Berlin.", "Give the prices of Munich."},
		"Which is taller, the church or the mill?":                                                {"What is the height of the church?", "What is the height of the mill?"},
		"Which is the tallest: the church, the mill or the tower?":                                {"What is the height of the church?", "What is the height of the mill?", "What is the height of the tower?"},
		"Which is heavier, a pound of salt and pepper or a kilo of sand?":                         {"What is the weight of a pound of salt and pepper?", "What is the weight of a kilo of sand?"},
		"Compare Romeo and Juliet and Hamlet":                                                     nil,
		"Compare Postgres and MySQL. Answer in one line.":                                         nil,
		"Which is the capital of France: Paris, Lyon or Nice?":                                    nil,
		"Which of these is a fruit: apple, chair or table?":                                       nil,
		"Which intent is this message: weather, translate, alarm or timer? Message: will it rain": nil,
		"Which is the better label: positive, negative or neutral? Review: the food was cold":     nil,
		"Spam vs ham: which is it? Win a free cruise now":                                         nil,
	} {
		p := decompose(lex, goal, 4)
		var got []string
		for _, s := range p.Subgoals {
			got = append(got, s.Goal)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (%s): %s", goal, p.Note, diff)
		}
	}
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
