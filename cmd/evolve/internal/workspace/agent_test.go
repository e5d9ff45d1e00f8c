package workspace

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
)

// loadAgent loads a workspace with the given further files and returns one of its agents.
func loadAgent(t testing.TB, id string, files map[string]string) *Agent {
	t.Helper()
	w, err := Load(build(t, spoil(files)), testBuiltins())
	if err != nil {
		t.Fatal(err)
	}
	a, ok := w.Agent(id)
	if !ok {
		t.Fatalf("no agent %q", id)
	}
	return a
}

func TestCommandAgent(t *testing.T) {
	a := loadAgent(t, "solver", map[string]string{
		"agents/solver/agent.yaml":      fullAgent,
		"agents/solver/SOUL.md":         "calm\n",
		"agents/solver/memories.jsonl":  `{"id":"m1","text":"a fact","answer":"x","confidence":0.5,"time":"2026-01-31T09:00:00Z"}` + "\n",
		"agents/solver/config.yaml":     "max_steps: 9\ntemperature: 1\nplanner: none\nlevel: true\n",
		"agents/solver/unrelated.jsonl": "not read",
	})
	wantAdapter := Adapter{
		Kind: "command", Argv: []string{"python3", "agent.py"}, Protocol: "jsonl", Pool: 2,
		Timeout: time.Minute, Env: []string{"MY_API_KEY"}, Sandbox: "none", Network: "none",
	}
	if diff := cmp.Diff(wantAdapter, a.Adapter); diff != "" {
		t.Error(diff)
	}
	wantSpace := []agent.Param{
		{Name: "temperature", Kind: agent.Float, Max: 2, Default: .3},
		{Name: "max_steps", Kind: agent.Int, Min: 1, Max: 64, Log: true, Default: int64(7)},
		{Name: "planner", Kind: agent.Choice, Values: []any{"none", "linear", "tree", "critic"}, Default: "tree"},
		{Name: "level", Kind: agent.Choice, Values: []any{int64(1), 2.5, true, "off", "2026-01-01"}, Default: 2.5},
		{Name: "use_retrieval", Kind: agent.Bool, Default: true},
		{Name: "critic_threshold", Kind: agent.Float, Max: 1, Default: .3, When: map[string][]any{"planner": {"tree", "critic"}}},
		{Name: "tools", Kind: agent.Subset, Of: []string{"search", "calc", "shell"}, MinItems: 1, MaxItems: 2, Default: []string{"search"}},
		{Name: "system_prompt", Kind: agent.Text, MaxChars: 2000, Lines: []string{"Be brief."}, Default: "", Description: "what it is told"},
		{Name: "examples", Kind: agent.Text, MaxChars: 900, Use: agent.Demonstrations, Default: `{"task":"a","answer":"b"}`},
	}
	if diff := cmp.Diff(wantSpace, a.Space.Params); diff != "" {
		t.Error(diff)
	}
	wantChampion := agent.Config{
		"temperature": 1.0, "max_steps": int64(9), "planner": "none", "level": true,
		"use_retrieval": true, "tools": []string{"search"}, "system_prompt": "", "examples": `{"task":"a","answer":"b"}`,
	}
	if diff := cmp.Diff(wantChampion, a.Champion); diff != "" {
		t.Error(diff)
	}
	wantMemory := []agent.Memory{{ID: "m1", Text: "a fact", Answer: "x", Confidence: .5, Time: time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC)}}
	if diff := cmp.Diff(wantMemory, a.Memories); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"SOUL.md": "calm\n"}, a.Bootstrap); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string][]string{"engineering": {"go", "build"}, "_global": nil}, a.Domains); diff != "" {
		t.Error(diff)
	}
	if a.Deterministic || !a.UsesSeed {
		t.Error("the file's word on determinism was not taken")
	}
}

func TestCommandDefaults(t *testing.T) {
	a := loadAgent(t, "solver", nil)
	want := Adapter{Kind: "command", Argv: []string{"./a.sh"}, Protocol: "once", Pool: 1, Sandbox: "auto", Network: "none"}
	if diff := cmp.Diff(want, a.Adapter); diff != "" {
		t.Error(diff)
	}
	if a.Deterministic || !a.UsesSeed {
		t.Error("a program is taken for deterministic unless it says not")
	}
}

func TestBuiltinDefaults(t *testing.T) {
	a := loadAgent(t, "helper", map[string]string{
		"agents/helper/agent.yaml":  "id: helper\nadapter: {kind: builtin}\nsuites: [tasks]\ndomains: {ops: [pager]}\n",
		"agents/helper/STRATEGY.md": "Be brief.\n\nPrefer grep.\n",
		"agents/helper/config.yaml": "recall.min_score: 0.5\n",
	})
	if a.Adapter.Model != ModelHeuristic || !a.Deterministic || a.UsesSeed {
		t.Errorf("unexpected defaults: %+v", a)
	}
	want := agent.Config{
		"recall.min_score": .5, "recall.max_memories": int64(8), "tools.selection": []string{"calculate", "grep"},
		"decompose.enabled": true, "decompose.max_subgoals": int64(4), "style": "brief",
		"strategy": "Be brief.\n\nPrefer grep.", "temperature.ops": .2,
	}
	if diff := cmp.Diff(want, a.Champion); diff != "" {
		t.Error(diff)
	}
}

func TestServiceDefaults(t *testing.T) {
	a := loadAgent(t, "solver", map[string]string{"agents/solver/agent.yaml": fullService})
	want := Adapter{Kind: "http", URL: "http://127.0.0.1:8000/run?v=1", HeadersEnv: map[string]string{"Authorization": "AGENT_AUTH"}, Pool: 4, Timeout: time.Minute}
	if diff := cmp.Diff(want, a.Adapter); diff != "" {
		t.Error(diff)
	}
	if a.Deterministic || !a.UsesSeed || len(a.Space.Params) != 1 {
		t.Errorf("unexpected defaults: %+v", a)
	}
}

// TestLanguageModel checks a built-in agent whose model is a route. The agent samples,
// its space contains the routes, with the route of its model first, and its own tools and
// skills are loaded.
func TestLanguageModel(t *testing.T) {
	files := map[string]string{
		"evolve.yaml": "providers: {local: {kind: openai, base_url: http://localhost:8080/v1}}\n" +
			"routes: {default: {provider: local, model: m}, code: {provider: local, model: n}, a: {provider: local, model: o}}\n" +
			"mcp: {search: {argv: [s], tools: {find: read, drop: write}}}\n",
		"agents/helper/agent.yaml":         "id: helper\nadapter: {kind: builtin, model: code}\nsuites: [tasks]\nmcp: [search]\ntools: [grep, search__find, csv_sum]\n",
		"agents/helper/tools/csv_sum.json": "{}",
		"agents/helper/tools/csv_sum.star": "def run(x):\n  return x\n",
		"agents/helper/tools/README.txt":   "not read",
		"agents/helper/skills/tidy.md":     "Tidy up.\n",
		"agents/solver/tools/own.json":     "\xff", // not read: the agent is a program
	}
	a := loadAgent(t, "helper", files)
	if a.Deterministic || !a.UsesSeed || a.Adapter.Model != "code" {
		t.Errorf("unexpected defaults: %+v", a.Adapter)
	}
	route, ok := a.Space.Lookup("route")
	if diff := cmp.Diff([]any{"code", "a", "default"}, route.Values); !ok || diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string][]byte{"csv_sum.json": []byte("{}"), "csv_sum.star": []byte("def run(x):\n  return x\n")}, a.ToolFiles); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string][]byte{"tidy.md": []byte("Tidy up.\n")}, a.SkillFiles); diff != "" {
		t.Error(diff)
	}
	before := a.Hash
	files["agents/helper/skills/tidy.md"] = "Tidy up well.\n"
	if loadAgent(t, "helper", files).Hash == before {
		t.Error("a skill is no part of the agent's hash")
	}
	files["agents/helper/agent.yaml"] += "deterministic: true\nuses_seed: false\n"
	if a := loadAgent(t, "helper", files); !a.Deterministic || a.UsesSeed {
		t.Error("the file's word on determinism was not taken")
	}
}

// TestLinkedTools checks that a link is not accepted as a tool, because its target is not
// part of the agent's hash.
func TestLinkedTools(t *testing.T) {
	root := build(t, spoil(map[string]string{"agents/helper/agent.yaml": goodBuilt, "agents/helper/tools/a.json": "{}", "elsewhere.json": "{}"}))
	if err := os.Symlink(filepath.Join(root, "elsewhere.json"), filepath.Join(root, "agents/helper/tools/b.json")); err != nil {
		t.Skip(err)
	}
	_, err := Load(root, testBuiltins())
	if err == nil || err.Error() != "agents/helper/tools/b.json: is not a regular file" {
		t.Errorf("got %v", err)
	}
	if err := os.Rename(filepath.Join(root, "agents/helper/tools"), filepath.Join(root, "away")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "away"), filepath.Join(root, "agents/helper/tools")); err != nil {
		t.Fatal(err)
	}
	_, err = Load(root, testBuiltins())
	if err == nil || err.Error() != "agents/helper/tools: is a link or a file, not a folder" {
		t.Errorf("got %v", err)
	}
}

func TestPrivate(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST": true, "127.0.0.1": true, "::1": true, "10.1.2.3": true, "192.168.0.9": true, "fd00::1": true,
		"ollama": true, "gpu.local": true, "llm.corp.internal": true, "::ffff:10.0.0.1": true, "a.localhost.": true,
		"example.com": false, "8.8.8.8": false, "169.254.169.254": false, "fe80::1": false, "0.0.0.0": false, "::ffff:8.8.8.8": false,
		"134744072": false, "0x8080808": false, "notlocal": true, "evil.com.local.example": false, "": false, "8.8.8": false, "127.1": false,
	} {
		if got := private(host); got != want {
			t.Errorf("%s is private: %v, want %v", host, got, want)
		}
	}
}

func TestBuiltinNarrowed(t *testing.T) {
	a := loadAgent(t, "helper", map[string]string{
		"agents/helper/agent.yaml": goodBuilt + `space:
  recall.max_memories: {max: 10}
  tools.selection: {of: [read_file, grep], default: [grep]}
  style: {values: [3, brief]}
  decompose.max_subgoals:
`,
		"agents/helper/STRATEGY.md": "Stay.\n",
		"agents/helper/config.yaml": "recall.min_score: 0.9\n",
	})
	one := func(name string, v any) agent.Param {
		return agent.Param{Name: name, Kind: agent.Choice, Values: []any{v}, Default: v}
	}
	want := []agent.Param{
		one("recall.min_score", .9),
		{Name: "recall.max_memories", Kind: agent.Int, Min: 1, Max: 10, Default: int64(8)},
		{Name: "tools.selection", Kind: agent.Subset, Of: []string{"grep", "read_file"}, Default: []string{"grep"}},
		one("decompose.enabled", true),
		{Name: "decompose.max_subgoals", Kind: agent.Int, Min: 2, Max: 4, Default: int64(4), When: map[string][]any{}},
		{Name: "style", Kind: agent.Choice, Values: []any{int64(3), "brief"}, Default: "brief"},
		one("strategy", "Stay."),
		one("temperature.engineering", .2),
		one("temperature.research", .2),
	}
	if diff := cmp.Diff(want, a.Space.Params); diff != "" {
		t.Error(diff)
	}
	if problems := a.Space.Check(); len(problems) > 0 {
		t.Error(problems)
	}
	if got := a.Champion; got["recall.min_score"] != .9 || got["strategy"] != "Stay." || len(got) != len(want) {
		t.Errorf("champion %v", got)
	}
}

// TestFixedConditions checks that parameters that a fixed switch disables are not in the
// space, and that the parameters that the switch enables are searched without the
// condition.
func TestFixedConditions(t *testing.T) {
	a := loadAgent(t, "helper", map[string]string{
		"agents/helper/agent.yaml":  goodBuilt + "space:\n  recall.max_memories:\n  tools.selection:\n",
		"agents/helper/config.yaml": "decompose.enabled: false\n",
	})
	if _, ok := a.Space.Lookup("decompose.max_subgoals"); ok {
		t.Error("a parameter that can never be active is in the space")
	}
	if problems := a.Space.Check(); len(problems) > 0 {
		t.Error(problems)
	}
	if _, ok := a.Champion["decompose.max_subgoals"]; ok {
		t.Errorf("champion %v", a.Champion)
	}
}

// TestNarrowedConditions checks that a parameter stays valid if its condition names a value
// that the narrowed range of another parameter no longer has.
func TestNarrowedConditions(t *testing.T) {
	when := map[string][]any{"form": {"line", "json"}}
	space := agent.Space{Params: []agent.Param{
		{Name: "form", Kind: agent.Choice, Values: []any{"free", "line"}, Default: "free"},
		{Name: "retries", Kind: agent.Int, Max: 3, Default: int64(1), When: when},
	}}
	if len(space.Check()) == 0 {
		t.Fatal("the space is valid as it is")
	}
	narrowConditions(space)
	if problems := space.Check(); len(problems) > 0 {
		t.Error(problems)
	}
	if len(when["form"]) != 2 {
		t.Error("the whole space was changed")
	}
}

// TestExtendedDomains tests that domains with a plus are added to the other domains in the
// file, or else to the default table.
func TestExtendedDomains(t *testing.T) {
	const file = "id: helper\nadapter: {kind: builtin}\nsuites: [tasks]\ndomains: {+ops: [rota, pager], +birds: [kite]"
	for name, c := range map[string]struct {
		file string
		want map[string][]string
	}{
		"of the file": {file + ", ops: [pager], cooking: [oven]}\n", map[string][]string{"ops": {"pager", "rota"}, "cooking": {"oven"}, "birds": {"kite"}}},
		"default":     {file + "}\n", map[string][]string{"ops": {"pager", "rota", "server"}, "birds": {"kite"}}},
	} {
		a := loadAgent(t, "helper", map[string]string{
			"agents/helper/agent.yaml": c.file, "agents/helper/STRATEGY.md": "Be brief.\n", "agents/helper/config.yaml": "recall.min_score: 0.5\n",
		})
		if diff := cmp.Diff(c.want, a.Domains); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
