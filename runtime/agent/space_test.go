package agent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func solver() Space {
	return Space{Params: []Param{
		{Name: "temperature", Kind: Float, Min: 0, Max: 2, Default: 0.3},
		{Name: "max_steps", Kind: Int, Min: 1, Max: 64, Log: true, Default: int64(7)},
		{Name: "planner", Kind: Choice, Values: []any{"none", "linear", "tree", int64(3), 0.5, true}, Default: "tree"},
		{Name: "critic", Kind: Float, Min: 0, Max: 1, Default: 0.3, When: map[string][]any{"planner": {"tree", 3.0}}},
		{Name: "deep", Kind: Bool, Default: false, When: map[string][]any{"critic": {0.3}}},
		{Name: "tools", Kind: Subset, Of: []string{"search", "calc", "shell"}, MinItems: 1, Default: []string{"search"}},
		{Name: "prompt", Kind: Text, MaxChars: 5, Default: ""},
	}}
}

func TestSpaceOfTheContractIsSound(t *testing.T) {
	if p := solver().Check(); len(p) > 0 {
		t.Fatal(p)
	}
}

func TestParse(t *testing.T) {
	def := solver().Default()
	with := func(c Config) Config {
		out := def.Clone()
		for k, v := range c {
			if out[k] = v; v == nil {
				delete(out, k)
			}
		}
		return out
	}
	for _, c := range []struct {
		name string
		in   map[string]any
		want Config
		bad  string
	}{
		{"nothing", nil, def, ""},
		{"a whole number for a float", map[string]any{"temperature": 1}, with(Config{"temperature": 1.0}), ""},
		{"a whole float for an int", map[string]any{"max_steps": 9.0}, with(Config{"max_steps": int64(9)}), ""},
		{"a choice by value", map[string]any{"planner": 3}, with(Config{"planner": int64(3)}), ""},
		{"inactive is left out", map[string]any{"planner": "none", "critic": 0.9}, with(Config{"planner": "none", "critic": nil, "deep": nil}), ""},
		{"inactive through another", map[string]any{"critic": 0.9}, with(Config{"critic": 0.9, "deep": nil}), ""},
		{"subset in order of declaration", map[string]any{"tools": []any{"shell", "search"}}, with(Config{"tools": []string{"search", "shell"}}), ""},
		{"fraction for an int", map[string]any{"max_steps": 2.5}, nil, `"max_steps" must be a whole number`},
		{"out of range", map[string]any{"temperature": 2.1}, nil, `"temperature" is 2.1, but must be between 0 and 2`},
		{"wrong type", map[string]any{"temperature": "hot"}, nil, `"temperature" must be a number`},
		{"no such value", map[string]any{"planner": "forest"}, nil, `"planner" must be one of`},
		{"no such member", map[string]any{"tools": []any{"saw"}}, nil, `"tools" has "saw"`},
		{"member twice", map[string]any{"tools": []any{"calc", "calc"}}, nil, `"tools" has "calc" twice`},
		{"too few members", map[string]any{"tools": []any{}}, nil, `"tools" has 0 items`},
		{"too long", map[string]any{"prompt": "äöüßéx"}, nil, `"prompt" has 6 characters`},
		{"long enough in characters", map[string]any{"prompt": "äöüßé"}, with(Config{"prompt": "äöüßé"}), ""},
		{"unknown", map[string]any{"temprature": 1}, nil, `"temprature" is not declared`},
		{"null", map[string]any{"temperature": nil}, nil, `"temperature" is null`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, problems := solver().Parse(c.in)
			if c.bad != "" {
				if len(problems) != 1 || !strings.Contains(problems[0].String(), c.bad) {
					t.Errorf("%v, want %s", problems, c.bad)
				}
				return
			}
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCheckFindsWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		want string
		p    []Param
	}{
		{"declared twice", []Param{{Name: "a", Kind: Bool, Default: true}, {Name: "a", Kind: Bool, Default: true}}},
		{"min below max", []Param{{Name: "a", Kind: Float, Min: 1, Max: 1, Default: 1.0}}},
		{"min above 0", []Param{{Name: "a", Kind: Int, Min: 0, Max: 9, Log: true, Default: int64(1)}}},
		{"needs values", []Param{{Name: "a", Kind: Choice, Default: "x"}}},
		{"twice", []Param{{Name: "a", Kind: Choice, Values: []any{int64(1), 1.0}, Default: int64(1)}}},
		{"no list can satisfy", []Param{{Name: "a", Kind: Subset, Of: []string{"x"}, MinItems: 2, Default: []string{"x"}}}},
		{"max_chars", []Param{{Name: "a", Kind: Text, Default: ""}}},
		{"unknown type", []Param{{Name: "a", Kind: "colour", Default: "red"}}},
		{"invalid default, which", []Param{{Name: "a", Kind: Bool, Default: "yes"}}},
		{"not declared", []Param{{Name: "a", Kind: Bool, Default: true, When: map[string][]any{"b": {true}}}}},
		{"depends on itself", []Param{
			{Name: "a", Kind: Bool, Default: true, When: map[string][]any{"b": {true}}},
			{Name: "b", Kind: Bool, Default: true, When: map[string][]any{"a": {true}}},
		}},
	} {
		found := fmt.Sprint(Space{Params: c.p}.Check())
		if !strings.Contains(found, c.want) {
			t.Errorf("%s, want %q", found, c.want)
		}
	}
}

// TestClampAlwaysGivesAConfig tests that for any values the runtime gets a valid config,
// that changes are reported, and that valid values are unchanged.
func TestClampAlwaysGivesAConfig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSpace(t)
		c := drawConfig(t, s)
		if same, changed := s.Clamp(c); len(changed) > 0 || !same.Equal(c) {
			t.Fatalf("a valid config was changed: %v", changed)
		}
		wild := c.Clone()
		for _, p := range s.Params {
			wild[p.Name] = rapid.SampledFrom([]any{1e300, -5.0, int64(-7), "\xff", "much too long for anything", []string{"?"}, nil, true}).Draw(t, "wild")
		}
		got, _ := s.Clamp(wild)
		if _, problems := s.Parse(got); len(problems) > 0 {
			t.Fatalf("%v is no config: %v", got, problems)
		}
	})
}

// drawSpace draws a valid space, with conditions on earlier parameters.
func drawSpace(t *rapid.T) Space {
	var s Space
	for i := range rapid.IntRange(1, 8).Draw(t, "params") {
		p := Param{Name: fmt.Sprintf("p%d", i)}
		switch rapid.SampledFrom([]Kind{Float, Int, Choice, Bool, Subset, Text}).Draw(t, "kind") {
		case Float:
			p.Kind, p.Min, p.Max = Float, -1, 3
			p.Default = rapid.Float64Range(-1, 3).Draw(t, "default")
		case Int:
			p.Kind, p.Min, p.Max, p.Log = Int, 1, 64, rapid.Bool().Draw(t, "log")
			p.Default = rapid.Int64Range(1, 64).Draw(t, "default")
		case Choice:
			p.Kind, p.Values, p.Default = Choice, []any{"a", int64(2), 0.5, false}, "a"
		case Bool:
			p.Kind, p.Default = Bool, rapid.Bool().Draw(t, "default")
		case Subset:
			p.Kind, p.Of, p.MinItems, p.Default = Subset, []string{"x", "y", "z"}, 1, []string{"y"}
		case Text:
			p.Kind, p.MaxChars, p.Default = Text, 12, "say <it>"
		}
		if i > 0 && rapid.Bool().Draw(t, "conditional") {
			q := s.Params[rapid.IntRange(0, i-1).Draw(t, "on")]
			if q.Kind == Choice || q.Kind == Bool {
				p.When = map[string][]any{q.Name: {q.Default}}
			}
		}
		s.Params = append(s.Params, p)
	}
	if problems := s.Check(); len(problems) > 0 {
		t.Fatal(problems)
	}
	return s
}

// drawConfig draws a canonical config of a space.
func drawConfig(t *rapid.T, s Space) Config {
	raw := map[string]any{}
	for _, p := range s.Params {
		switch p.Kind {
		case Float:
			raw[p.Name] = rapid.Float64Range(p.Min, p.Max).Draw(t, p.Name)
		case Int:
			raw[p.Name] = rapid.Int64Range(int64(p.Min), int64(p.Max)).Draw(t, p.Name)
		case Choice:
			raw[p.Name] = rapid.SampledFrom(p.Values).Draw(t, p.Name)
		case Bool:
			raw[p.Name] = rapid.Bool().Draw(t, p.Name)
		case Subset:
			raw[p.Name] = rapid.SampledFrom([][]string{{"x"}, {"z", "x"}, {"x", "y", "z"}}).Draw(t, p.Name)
		case Text:
			raw[p.Name] = rapid.StringN(0, 12, -1).Draw(t, p.Name)
		}
	}
	c, problems := s.Parse(raw)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return c
}
