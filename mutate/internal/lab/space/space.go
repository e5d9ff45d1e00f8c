// Package space generates spaces for the tests of the search and of its operators.
package space

import (
	"fmt"
	"math"

	"pgregory.net/rapid"

	"evolve/runtime/agent"
)

// Any draws spaces with parameters of every kind, with narrow, huge and degenerate ranges,
// bounded subsets, texts with and without room, and chains of conditions.
func Any(t *rapid.T) agent.Space {
	var s agent.Space
	for i := range rapid.IntRange(1, 9).Draw(t, "params") {
		p := param(t, fmt.Sprintf("p%d", i))
		if i > 0 && rapid.IntRange(0, 2).Draw(t, "conditional") == 0 {
			on := s.Params[rapid.IntRange(0, i-1).Draw(t, "on")]
			switch on.Kind {
			case agent.Bool:
				p.When = map[string][]any{on.Name: {true}}
			case agent.Choice:
				p.When = map[string][]any{on.Name: on.Values[:1]}
			}
		}
		s.Params = append(s.Params, p)
	}
	if problems := s.Check(); len(problems) > 0 {
		t.Fatalf("the generator made a bad space: %v", problems)
	}
	return s
}

func param(t *rapid.T, name string) agent.Param {
	p := agent.Param{Name: name, Kind: rapid.SampledFrom([]agent.Kind{
		agent.Float, agent.Int, agent.Choice, agent.Bool, agent.Subset, agent.Text,
	}).Draw(t, "kind")}
	switch p.Kind {
	case agent.Float:
		ends := rapid.SampledFrom([][2]float64{
			{0, 1}, {-1, 1}, {0.25, 0.5}, {-1e300, 1e300}, {-math.MaxFloat64, math.MaxFloat64}, {0, 5e-324}, {1e15, 1e15 + 1}, {1e-300, 1e300}, {3, 3.0000000001},
		}).Draw(t, "ends")
		p.Min, p.Max = ends[0], ends[1]
		p.Log = p.Min > 0 && rapid.Bool().Draw(t, "log")
		p.Default = rapid.SampledFrom(ends[:]).Draw(t, "default")
		if p.Default == 0.0 {
			p.Default = 0.0
		}
	case agent.Int:
		ends := rapid.SampledFrom([][2]float64{{0, 1}, {1, 1}, {-3, 4}, {1, 1 << 40}, {-1 << 52, 1 << 52}}).Draw(t, "ends")
		p.Min, p.Max = ends[0], ends[1]
		p.Log = p.Min > 0 && p.Max > p.Min && rapid.Bool().Draw(t, "log")
		p.Default = int64(rapid.SampledFrom(ends[:]).Draw(t, "default"))
	case agent.Choice:
		all := []any{"a", "b", int64(2), 0.5, true}
		p.Values = all[:rapid.IntRange(1, len(all)).Draw(t, "values")]
		p.Default = p.Values[len(p.Values)-1]
	case agent.Bool:
		p.Default = rapid.Bool().Draw(t, "default")
	case agent.Subset:
		p.Of = []string{"z", "y", "x", "w"}[:rapid.IntRange(1, 4).Draw(t, "of")]
		p.MinItems = rapid.IntRange(0, len(p.Of)).Draw(t, "least")
		if rapid.Bool().Draw(t, "bounded") {
			p.MaxItems = rapid.IntRange(max(1, p.MinItems), len(p.Of)).Draw(t, "most")
		}
		p.Default = append([]string{}, p.Of[:p.MinItems]...)
	case agent.Text:
		p.MaxChars = rapid.IntRange(12, 60).Draw(t, "chars")
		p.Lines = []string{"Be brief.", "Count twice.", "Über alles prüfen.", "", "two\nlines"}[:rapid.IntRange(0, 5).Draw(t, "lines")]
		p.Default = rapid.SampledFrom([]string{"", "mine", "mine\n", "Be brief."}).Draw(t, "default")
	}
	return p
}
