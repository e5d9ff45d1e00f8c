package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/bench"
	"evolve/runtime/agent"
)

// testBuiltins replaces the built-in parts of evolve.
func testBuiltins() Builtins {
	return Builtins{
		Domains: func() map[string][]string { return map[string][]string{"ops": {"server"}} },
		Space: func(model string, domains, _, _ []string, routes []Model) agent.Space {
			if domains == nil {
				domains = []string{"engineering", "research"}
			}
			space := agent.Space{Params: []agent.Param{
				{Name: "recall.min_score", Kind: agent.Float, Min: .5, Max: .95, Default: .75},
				{Name: "recall.max_memories", Kind: agent.Int, Min: 1, Max: 20, Default: int64(8)},
				{Name: "tools.selection", Kind: agent.Subset, Of: []string{"calculate", "grep", "read_file"}, Default: []string{"calculate", "grep"}},
				{Name: "decompose.enabled", Kind: agent.Bool, Default: true},
				{Name: "decompose.max_subgoals", Kind: agent.Int, Min: 2, Max: 4, Default: int64(4), When: map[string][]any{"decompose.enabled": {true}}},
				{Name: "style", Kind: agent.Choice, Values: []any{"brief", "full", int64(3)}, Default: "brief"},
				{Name: "strategy", Kind: agent.Text, MaxChars: 4000, Lines: []string{"Be brief."}, Default: ""},
			}}
			for _, d := range domains {
				space.Params = append(space.Params, agent.Param{Name: "temperature." + d, Kind: agent.Float, Min: 0, Max: 1, Default: .2})
			}
			if model != ModelHeuristic {
				values := []any{}
				for _, r := range routes {
					values = append(values, r.Route)
				}
				space.Params = append(space.Params, agent.Param{Name: "route", Kind: agent.Choice, Values: values, Default: routes[0].Route})
			}
			return space
		},
		Tools: []string{"calculate", "grep", "read_file"},
		Graders: bench.GraderRules{
			Fields: map[string][]string{"exact": {"answer"}, "contains": {"all", "any"}},
		},
	}
}

// build writes files into a new folder.
func build(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestLoadSolver(t *testing.T) {
	w, err := Load("testdata/solver", testBuiltins())
	if err != nil {
		t.Fatal(err)
	}
	want := DefaultSettings()
	want.Budget.Evaluations = 200
	want.Limits.Timeout = 20 * time.Second
	want.Search.Concurrency, want.Search.Lookahead = 2, 8
	want.Confirm.Finalists = 2
	if diff := cmp.Diff(want, w.Settings); diff != "" {
		t.Error(diff)
	}
	a, ok := w.Agent("solver")
	if !ok {
		t.Fatal("no agent")
	}
	wantAdapter := Adapter{
		Kind: "command", Argv: []string{"./agent.sh"}, Protocol: "jsonl", Pool: 2,
		Timeout: 10 * time.Second, Sandbox: "auto", Network: "none",
	}
	if diff := cmp.Diff(wantAdapter, a.Adapter); diff != "" {
		t.Error(diff)
	}
	if !a.Deterministic || a.UsesSeed {
		t.Error("the file's word on determinism was not taken")
	}
	if diff := cmp.Diff([]string{"case", "mark", "twice", "gap"}, a.Space.Names()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(agent.Config{"case": "none", "mark": "dot", "twice": false}, a.Champion); diff != "" {
		t.Error(diff)
	}
	if n := len(w.Suites["tasks"].Side(bench.Holdout)); n != 12 {
		t.Errorf("%d holdout tasks, want 12", n)
	}
}

func TestFind(t *testing.T) {
	root := build(t, map[string]string{"evolve.yaml": "", "agents/a/deep/x": ""})
	root, _ = filepath.EvalSymlinks(root)
	got, err := Find(filepath.Join(root, "agents", "a", "deep"))
	if err != nil || got != root {
		t.Errorf("found %q, %v", got, err)
	}
	if _, err := Find(t.TempDir()); !errors.Is(err, ErrNotFound) {
		t.Errorf("found something where nothing is: %v", err)
	}
	if _, err := Find(filepath.Join(root, "absent")); err == nil {
		t.Error("a folder that is not there has no workspace")
	}
}
