package gates

import (
	"strings"
	"testing"

	"evolve/bench"
	"evolve/runtime/agent"
)

// TestContradictionsOfNewMemories tests that memories are compared with those in use and with
// each other, and that each pair is named once.
func TestContradictionsOfNewMemories(t *testing.T) {
	crate := func(id, number, kilos string) agent.Memory {
		return agent.Memory{ID: id, Text: "Crate " + number + " weighs " + kilos + " kilos"}
	}
	for _, c := range []struct {
		there, added []agent.Memory
		want         string
	}{
		{nil, []agent.Memory{crate("a", "ten", "66"), crate("b", "ten", "67")}, "for you to judge: b gives a different value from a"},
		{[]agent.Memory{crate("o", "ten", "65")}, []agent.Memory{crate("a", "ten", "66"), crate("b", "ten", "67")}, "for you to judge: a gives a different value from o; b gives a different value from o and a"},
		{[]agent.Memory{crate("o", "ten", "66")}, []agent.Memory{{ID: "a", Text: "The lift in Riga is red"}}, "no memory in use contradicts an added memory"},
		{nil, []agent.Memory{{ID: "a", Text: "The depot in Oslo opens at 7"}, crate("b", "ten", "67")}, "no memory in use contradicts an added memory"},
	} {
		old, err := bench.AppendMemories(nil, c.there)
		if err != nil {
			t.Fatal(err)
		}
		now, err := bench.AppendMemories(old, c.added)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range Memories(MemoryChange{Old: old, New: now}) {
			if g.Name != "contradictions" {
				continue
			}
			if v, why := g.Check(t.Context()); v != Passed || strings.TrimSpace(why) != c.want {
				t.Errorf("%s: %s, not %s", v, why, c.want)
			}
		}
	}
}
