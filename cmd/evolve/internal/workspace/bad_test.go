package workspace

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The parts of a good workspace, for cases that break one of them.
const (
	goodSuite = `{"id":"t1","goal":"say a","answer":"a","split":"search"}` + "\n" + `{"id":"t2","goal":"say b","answer":"b","split":"holdout"}` + "\n"
	goodHead  = "id: solver\nadapter: {kind: command, argv: [./a.sh]}\nsuites: [tasks]\n"
	goodSpace = "space:\n  heat: {type: float, min: 0, max: 2, default: 0.3}\n"
	goodBuilt = "id: helper\nadapter: {kind: builtin, model: heuristic}\nsuites: [tasks]\n"
)

// spoil returns the files of a good workspace with some replaced or added.
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

type badCase struct {
	name  string
	files map[string]string
	// want lists every issue, one per line.
	want string
	// schema reports whether the JSON schema also detects the mistake.
	schema bool
}

func settings(name, content, want string, schema bool) badCase {
	return badCase{name, map[string]string{"evolve.yaml": content}, want, schema}
}

func agentYAMLCase(name, content, want string, schema bool) badCase {
	return badCase{name, map[string]string{"agents/solver/agent.yaml": content}, want, schema}
}

func spaceCase(name, space, want string, schema bool) badCase {
	return agentYAMLCase(name, goodHead+"space:\n"+space, want, schema)
}

func builtinCase(name, tail, want string, schema bool) badCase {
	return badCase{name, map[string]string{"agents/helper/agent.yaml": goodBuilt + tail}, want, schema}
}

func badCases() []badCase {
	return slices.Concat(badSettings(), badNotify(), badModels(), badPolicies(), badServers(), badPatches(), badAgents(), badAdapters(), badSpaces(), badFiles())
}

func TestBad(t *testing.T) {
	cases := badCases()
	if len(cases) < 40 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			files := spoil(c.files)
			if files["evolve.yaml"] == "-" {
				delete(files, "evolve.yaml")
			}
			if c.name == "champion outside the narrowed range" {
				files["agents/helper/config.yaml"] = "recall.max_memories: 12\n"
			}
			w, err := Load(build(t, files), testBuiltins())
			var errs *Errors
			if !errors.As(err, &errs) {
				t.Fatalf("loaded as %v with %v", w, err)
			}
			if w != nil {
				t.Error("a broken workspace was returned")
			}
			if diff := cmp.Diff(strings.TrimSpace(c.want), errs.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
