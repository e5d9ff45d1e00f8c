package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
)

// testBuiltins returns replacements for the built-in parts of evolve.
func testBuiltins() workspace.Builtins {
	return workspace.Builtins{
		Space: func(model string, domains, _, _ []string, routes []workspace.Model) agent.Space {
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
			if model != workspace.ModelHeuristic {
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

// The parts of a valid workspace, for cases that break one of them.
const (
	goodSuite = `{"id":"t1","goal":"say a","answer":"a","split":"search"}` + "\n" + `{"id":"t2","goal":"say b","answer":"b","split":"holdout"}` + "\n"
	goodHead  = "id: solver\nadapter: {kind: command, argv: [./a.sh]}\nsuites: [tasks]\n"
	goodSpace = "space:\n  heat: {type: float, min: 0, max: 2, default: 0.3}\n"
	goodBuilt = "id: helper\nadapter: {kind: builtin, model: heuristic}\nsuites: [tasks]\n"
)

// spoil returns the files of a valid workspace, with some replaced or added.
func spoil(changed map[string]string) map[string]string {
	files := map[string]string{
		"evolve.yaml":              "",
		"agents/solver/agent.yaml": goodHead + goodSpace,
		"suites/tasks.jsonl":       goodSuite,
	}
	for name, content := range changed {
		files[name] = content
	}
	return files
}

// TestDoctorNamesIdleParameters checks that a parameter without effect is named if it is
// listed under the key "space".
func TestDoctorNamesIdleParameters(t *testing.T) {
	builtins := testBuiltins()
	builtins.Idle = func(s agent.Space, _ *workspace.Agent, _ []workspace.Model, _ []agent.Task) map[string]string {
		out := map[string]string{}
		for _, name := range s.Names() {
			if strings.HasPrefix(name, "temperature.") {
				out[name] = "cannot act"
			}
		}
		return out
	}
	w, err := workspace.Load(build(t, spoil(map[string]string{
		"agents/helper/agent.yaml": goodBuilt + "space:\n  recall.max_memories:\n  temperature.research: {max: .5}\n",
	})), builtins)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := w.Agent("helper")
	checks := checkUnsearched(&workspace.Workspace{Agents: []workspace.Agent{*a}})
	if len(checks) != 1 || checks[0].Status != StatusWarn || checks[0].Hint == "" || !strings.Contains(checks[0].Text, "lists parameters that have no effect (temperature.research)") {
		t.Errorf("doctor: %+v", checks)
	}
}
