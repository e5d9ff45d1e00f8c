package workspace

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/runtime/agent"
)

func TestChampionFiles(t *testing.T) {
	a := &Agent{ID: "solver", Space: agent.Space{Params: []agent.Param{
		{Name: "heat", Kind: agent.Float, Max: 2, Default: .3},
		{Name: "steps", Kind: agent.Int, Min: 1, Max: 64, Default: int64(7)},
		{Name: "plan", Kind: agent.Choice, Values: []any{"no", "tree", int64(2)}, Default: "tree"},
		{Name: "tools", Kind: agent.Subset, Of: []string{"a b", "calc"}, Default: []string{}},
		{Name: "fast", Kind: agent.Bool, Default: false},
		{Name: "prompt", Kind: agent.Text, MaxChars: 100, Default: ""},
		{Name: "strategy", Kind: agent.Text, MaxChars: 100, Default: ""},
	}}}
	got := ChampionFiles(a, agent.Config{
		"heat": 1.0, "steps": int64(9), "plan": "no", "tools": []string{"a b", "calc"}, "fast": true,
		"prompt": "One.\n\n  Two: \"2\"\n", "strategy": "Be brief.",
	})
	want := map[string][]byte{
		"agents/solver/STRATEGY.md": []byte("Be brief.\n"),
		"agents/solver/config.yaml": []byte(configHeader + `heat: 1
steps: 9
plan: "no"
tools: ["a b", calc]
fast: true
prompt: |
  One.

    Two: "2"
`),
	}
	// Contents are compared as text for a readable difference.
	text := cmp.Transformer("text", func(b []byte) string { return string(b) })
	if diff := cmp.Diff(want, got, text); diff != "" {
		t.Error(diff)
	}
	none := agent.Config{"strategy": ""}
	if _, ok := ChampionFiles(a, none)["agents/solver/STRATEGY.md"]; ok {
		t.Error("no strategy is written where none was")
	}
	a.hasStrategy = true
	if data, ok := ChampionFiles(a, none)["agents/solver/STRATEGY.md"]; !ok || data != nil {
		t.Error("a strategy that is gone is not removed")
	}
}

// anyText mixes ordinary text with text that breaks quoting.
func anyText(most int) *rapid.Generator[string] {
	pieces := []string{
		"a", "Be brief.", "yes", "~", "1.5", "- x", ": ", " #", "\n", "\n\n", "  ", "\t", "\"", "'", "\\", "é", "\u2028", "\u0085",
		"\x00", "\x7f", "\ufeff", "\uffff", "\r", "\r\n", "😀", "%", "@", "|", ">", "{", "]", "...", "---", "!!int 5", "&a", "*a", "\u200b", "\ufffd",
	}
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for range rapid.IntRange(0, 12).Draw(t, "pieces") {
			if rapid.Bool().Draw(t, "known") {
				b.WriteString(rapid.SampledFrom(pieces).Draw(t, "piece"))
			} else {
				b.WriteString(strings.ToValidUTF8(rapid.StringN(0, 6, -1).Draw(t, "any"), ""))
			}
		}
		r := []rune(b.String())
		return string(r[:min(len(r), most)])
	})
}

// anyParam draws a valid parameter declaration.
func anyParam(t *rapid.T, name string, earlier []agent.Param) agent.Param {
	p := agent.Param{Name: name}
	p.Kind = rapid.SampledFrom([]agent.Kind{agent.Float, agent.Int, agent.Choice, agent.Bool, agent.Subset, agent.Text}).Draw(t, "kind")
	switch p.Kind {
	case agent.Float:
		p.Min = rapid.Float64Range(-1e20, 1e20).Draw(t, "min")
		p.Max = p.Min + rapid.Float64Range(1, 1e25).Draw(t, "width")
		if !(p.Min < p.Max) {
			p.Max = 1e30
		}
	case agent.Int:
		p.Min = float64(rapid.Int64Range(-1e15, 1e15).Draw(t, "min"))
		p.Max = p.Min + float64(rapid.Int64Range(1, 1e15).Draw(t, "width"))
	case agent.Choice:
		p.Values = rapid.SliceOfNDistinct(rapid.OneOf(
			rapid.Map(anyText(30), func(s string) any { return s }),
			rapid.Map(rapid.Int64Range(-99, 99), func(n int64) any { return n }),
			rapid.Map(rapid.Float64Range(-1e9, 1e9), func(f float64) any { return f + .5 }),
			rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		), 1, 5, func(v any) string { return fmt.Sprint(v) }).Draw(t, "values")
	case agent.Subset:
		p.Of = rapid.SliceOfNDistinct(anyText(20), 1, 5, func(s string) string { return s }).Draw(t, "of")
	case agent.Text:
		p.MaxChars = 200
		p.Default = ""
	}
	if len(earlier) > 0 && rapid.Bool().Draw(t, "conditional") {
		on := rapid.SampledFrom(earlier).Draw(t, "on")
		if on.Kind == agent.Bool {
			p.When = map[string][]any{on.Name: {rapid.Bool().Draw(t, "value")}}
		}
	}
	p.Default = anyValue(t, p)
	return p
}

func anyValue(t *rapid.T, p agent.Param) any {
	switch p.Kind {
	case agent.Float:
		return rapid.Float64Range(p.Min, p.Max).Draw(t, "float") + 0 // no negative zero
	case agent.Int:
		return rapid.Int64Range(int64(p.Min), int64(p.Max)).Draw(t, "int")
	case agent.Choice:
		return rapid.SampledFrom(p.Values).Draw(t, "choice")
	case agent.Bool:
		return rapid.Bool().Draw(t, "bool")
	case agent.Text:
		return anyText(p.MaxChars).Draw(t, "text")
	}
	list := []string{}
	for _, m := range p.Of {
		if rapid.Bool().Draw(t, "member") {
			list = append(list, m)
		}
	}
	return list
}

// TestChampionRoundTrip checks for random spaces that loading the result of ChampionFiles
// returns the config.
func TestChampionRoundTrip(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "agents", "solver")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		var space agent.Space
		for i := range rapid.IntRange(1, 6).Draw(t, "parameters") {
			name := fmt.Sprintf("p%d.%s", i, rapid.SampledFrom([]string{"a", "on", "é", "1:2"}).Draw(t, "suffix"))
			space.Params = append(space.Params, anyParam(t, name, space.Params))
		}
		if rapid.Bool().Draw(t, "with strategy") {
			space.Params = append(space.Params, agent.Param{Name: "strategy", Kind: agent.Text, MaxChars: 200, Default: ""})
		}
		raw := map[string]any{}
		for _, p := range space.Params {
			raw[p.Name] = anyValue(t, p)
		}
		c, problems := space.Parse(raw)
		if len(problems) > 0 {
			t.Fatalf("the test made a bad config: %v", problems)
		}
		a := &Agent{ID: "solver", Space: space, Known: space, hasStrategy: true}
		files := ChampionFiles(a, c)
		if !bytes.Equal(files["agents/solver/config.yaml"], ChampionFiles(a, c)["agents/solver/config.yaml"]) {
			t.Fatal("the same config gave other bytes")
		}
		for name, data := range files {
			path := filepath.Join(root, filepath.FromSlash(name))
			if data == nil {
				os.Remove(path)
			} else if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, ok := files["agents/solver/STRATEGY.md"]; !ok {
			os.Remove(filepath.Join(dir, "STRATEGY.md"))
		}
		back, err := ReadChampion(root, a)
		if err != nil {
			t.Fatalf("cannot be read back: %v\n%s", err, files["agents/solver/config.yaml"])
		}
		if !back.Equal(c) {
			t.Fatalf("read back as %s, want %s\n%s", back.Canonical(), c.Canonical(), files["agents/solver/config.yaml"])
		}
	})
}

// TestChampionOfBuiltinRoundTrip checks the round trip with the whole loader, including
// fixed parameters.
func TestChampionOfBuiltinRoundTrip(t *testing.T) {
	files := map[string]string{
		"agents/helper/agent.yaml":  goodBuilt + "space:\n  recall.max_memories:\n  tools.selection:\n",
		"agents/helper/STRATEGY.md": "Stay.\n",
		"agents/helper/config.yaml": "recall.min_score: 0.9\n",
	}
	a := loadAgent(t, "helper", files)
	c := a.Champion.Clone()
	c["recall.max_memories"] = int64(3)
	for name, data := range ChampionFiles(a, c) {
		files[name] = string(data)
	}
	b := loadAgent(t, "helper", files)
	if !b.Champion.Equal(c) {
		t.Errorf("read back as %s, want %s", b.Champion.Canonical(), c.Canonical())
	}
	if diff := cmp.Diff(a.Space, b.Space); diff != "" {
		t.Error("an adoption changed the space:", diff)
	}
	if a.Hash != b.Hash {
		t.Error("an adoption changed the agent's hash")
	}
}
