package workspace

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
)

// loadAgent loads a workspace whose only further file set is that of one agent.
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
	}
	if diff := cmp.Diff(wantSpace, a.Space.Params); diff != "" {
		t.Error(diff)
	}
	wantChampion := agent.Config{
		"temperature": 1.0, "max_steps": int64(9), "planner": "none", "level": true,
		"use_retrieval": true, "tools": []string{"search"}, "system_prompt": "",
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
	want := Adapter{Kind: "command", Argv: []string{"./a.sh"}, Protocol: "once", Pool: 1, Sandbox: "auto", Network: "host"}
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

// TestFixedConditions shows that what a fixed switch turns off is no part of the
// space, and what it turns on is searched without condition.
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
