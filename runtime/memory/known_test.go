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
		{agent.Memory{ID: "x", Text: "The depot in Oslo opens at 7.", Domain: "ops"}, "m1"}, // m1 applies to every domain
		{agent.Memory{ID: "x", Text: "The ferry to Riga leaves at noon"}, "m3"},             // retracted ones count
		{agent.Memory{ID: "x", Text: "Ada runs the harbour", Domain: "ops"}, "m2"},
		{agent.Memory{ID: "x", Text: "Ada runs the harbour"}, ""}, // m2 applies to only one domain
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

// TestGapsThatPeopleContradict tests that if a failure asked for a retracted memory, the
// memory is listed with what people wrote for and against it, because a failure does not
// show that a memory is true.
func TestGapsThatPeopleContradict(t *testing.T) {
	q := memory.Query{MinScore: .5, MaxMemories: 3, Lambda: 1}
	const goal = "When does the depot in Oslo open?"
	later := learntAt.Add(time.Hour)
	for name, c := range map[string]struct {
		reason, answer, said string
		supports, against    string
	}{
		"nothing but a failure":                 {"doubtful", "", "", "", ""},
		"a reason that calls it wrong":          {"wrong hour", "I do not know", "", "", `the reason for its retraction: "wrong hour"`},
		"no longer true":                        {"it is no longer so", "", "", "", `the reason for its retraction: "it is no longer so"`},
		"another value as the reason":           {"it is 8 now", "", "", "", `the reason for its retraction: "it is 8 now"`},
		"the same value as the reason":          {"7 is doubtful", "", "", "", ""},
		"a correction with another value":       {"doubtful", "It opens at 7.", "No. The depot in Oslo opens at 9.", "", `turn T2: "No. The depot in Oslo opens at 9."`},
		"a denial of the answer that it states": {"doubtful", "The depot opens at 7.", "No, that is wrong.", "", `turn T2: "No, that is wrong."`},
		"a denial of another answer":            {"doubtful", "I do not know.", "No, that is wrong.", "", ""},
		"a denial of its value":                 {"doubtful", "I do not know.", "No, it does not open at 7, it is not so.", "", `turn T2: "No, it does not open at 7, it is not so."`},
		"a correction that states it":           {"doubtful", "It opens at 9.", "No, the correct hour is 7.", `turn T2: "No, the correct hour is 7."`, ""},
		"a denial and then the value":           {"doubtful", "It opens at 9.", "That's not right. The correct hour is 7.", `turn T2: "That's not right. The correct hour is 7."`, ""},
		"both":                                  {"wrong hour", "It opens at 9.", "No, the correct hour is 7.", `turn T2: "No, the correct hour is 7."`, `the reason for its retraction: "wrong hour"`},
	} {
		m := agent.Memory{ID: "m1", Text: "The depot in Oslo opens at 7", Retracted: c.reason, RetractedAt: learntAt}
		asked := memory.Asked{ID: "turn T1", Why: "was corrected in turn T2", Text: goal, Time: later, Answer: c.answer, Said: c.said, By: "T2"}
		elsewhere := memory.Asked{ID: "turn T3", Text: "Who runs the harbour?", Time: later, Answer: "At 7.", Said: "No, that is wrong.", By: "T4"}
		got := memory.Gaps(t.Context(), memory.NewLexicon(), []agent.Memory{m}, []memory.Asked{asked, elsewhere}, q)
		if len(got) != 1 || got[0].For.String() != c.supports || got[0].Against.String() != c.against {
			t.Errorf("%s: %+v", name, got)
		}
	}
	// A correction before the retraction also counts.
	m := agent.Memory{ID: "m1", Text: "The depot in Oslo opens at 7", Retracted: "doubtful", RetractedAt: learntAt}
	got := memory.Gaps(t.Context(), memory.NewLexicon(), []agent.Memory{m}, []memory.Asked{
		{ID: "turn T1", Text: goal, Time: learntAt.Add(-time.Hour), Answer: "At 7.", Said: "Wrong.", By: "T2"}, {ID: "turn T3", Text: goal, Time: later},
	}, q)
	if len(got) != 1 || got[0].Asked.ID != "turn T3" || got[0].Against.String() != `turn T2: "Wrong."` {
		t.Errorf("%+v", got)
	}
}
