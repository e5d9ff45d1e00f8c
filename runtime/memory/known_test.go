package memory_test

import (
	"slices"
	"testing"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

var learntAt = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func TestKnownStatements(t *testing.T) {
	lex := memory.NewLexicon()
	known := memory.NewKnown(lex, []agent.Memory{
		{ID: "m1", Text: "The depot in Oslo opens at 7"},
		{ID: "m2", Text: "Ada runs the harbour", Domain: "ops"},
		{ID: "m3", Text: "The ferry to Riga leaves at noon", Retracted: "it no longer runs"},
	})
	for _, c := range []struct {
		m  agent.Memory
		id string
	}{
		{agent.Memory{ID: "m1", Text: "anything else"}, "m1"},
		{agent.Memory{ID: "x", Text: " the DEPOT in Oslo\nopens at 7 "}, "m1"},
		{agent.Memory{ID: "x", Text: "The depot in Oslo opens at 7.", Domain: "ops"}, "m1"}, // m1 is for every domain
		{agent.Memory{ID: "x", Text: "The ferry to Riga leaves at noon"}, "m3"},             // retracted ones count
		{agent.Memory{ID: "x", Text: "Ada runs the harbour", Domain: "ops"}, "m2"},
		{agent.Memory{ID: "x", Text: "Ada runs the harbour"}, ""}, // m2 is for one domain only
		{agent.Memory{ID: "x", Text: "The depot in Oslo opens at 8"}, ""},
		{agent.Memory{ID: "x", Text: "The depot in Oslo does not open at 7"}, ""},
	} {
		if id, has := known.Has(c.m); id != c.id || has != (c.id != "") {
			t.Errorf("%+v: %q, %t; want %q", c.m, id, has, c.id)
		}
	}
}

func TestContradictedStatements(t *testing.T) {
	known := memory.NewKnown(memory.NewLexicon(), []agent.Memory{
		{ID: "m1", Text: "The depot in Oslo opens at 7"},
		{ID: "m2", Text: "The depot in Oslo opens at 8", Domain: "ops"},
		{ID: "m3", Text: "The depot in Oslo opens at 6", Retracted: "wrong"},
		{ID: "m4", Text: "The depot in Riga opens at 5"},
	})
	for domain, want := range map[string][]string{"": {"m1"}, "ops": {"m1", "m2"}} {
		got := known.Contradicted(agent.Memory{ID: "x", Text: "The depot in Oslo opens at 9", Domain: domain})
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("in %q: %v, want %v", domain, got, want)
		}
	}
	if got := known.Contradicted(agent.Memory{ID: "x", Text: "The depot in Oslo is large"}); got != nil {
		t.Error(got)
	}
}

func TestGaps(t *testing.T) {
	q := memory.Query{MinScore: .5, MaxMemories: 3, Lambda: 1}
	retracted := agent.Memory{ID: "m1", Text: "The depot in Oslo opens at 7", Retracted: "doubtful", RetractedAt: learntAt}
	asked := func(at time.Time, text string) memory.Asked {
		return memory.Asked{ID: "turn T1", Why: "ended with execution", Text: text, Time: at}
	}
	later := learntAt.Add(time.Hour)
	const goal = "When does the depot in Oslo open?"
	for name, c := range map[string]struct {
		memories []agent.Memory
		asked    []memory.Asked
		want     int
	}{
		"a later failure asked for it":  {[]agent.Memory{retracted}, []memory.Asked{asked(later, goal)}, 1},
		"an earlier one":                {[]agent.Memory{retracted}, []memory.Asked{asked(learntAt.Add(-time.Hour), goal)}, 0},
		"another subject":               {[]agent.Memory{retracted}, []memory.Asked{asked(later, "Who runs the harbour?")}, 0},
		"each once":                     {[]agent.Memory{retracted}, []memory.Asked{asked(later, goal), asked(later, goal)}, 1},
		"replaced with another number":  {[]agent.Memory{retracted, {ID: "m2", Text: "The depot in Oslo opens at 8"}}, []memory.Asked{asked(later, goal)}, 0},
		"repeated by another":           {[]agent.Memory{retracted, {ID: "m2", Text: "the depot in Oslo opens at 7."}}, []memory.Asked{asked(later, goal)}, 0},
		"retracted at an unknown time":  {[]agent.Memory{{ID: "m1", Text: retracted.Text, Retracted: "x"}}, []memory.Asked{asked(later, goal)}, 0},
		"in use":                        {[]agent.Memory{{ID: "m1", Text: retracted.Text}}, []memory.Asked{asked(later, goal)}, 0},
		"another domain":                {[]agent.Memory{{ID: "m1", Domain: "ops", Text: retracted.Text, Retracted: "x", RetractedAt: learntAt}}, []memory.Asked{asked(later, goal)}, 0},
		"one without a time is no help": {[]agent.Memory{retracted}, []memory.Asked{asked(time.Time{}, goal)}, 0},
	} {
		got := memory.Gaps(t.Context(), memory.NewLexicon(), c.memories, c.asked, q)
		if len(got) != c.want || c.want == 1 && (got[0].Memory.ID != "m1" || got[0].Score < q.MinScore || got[0].Memory.Retracted == "") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
