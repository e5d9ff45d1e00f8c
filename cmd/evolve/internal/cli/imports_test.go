package cli

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// order is the direction of the architecture: a package may import only packages from
// folders to its left or from its own folder.
var order = []string{"runtime", "bench", "archive", "mutate", "patch", "gates", "reports", "cmd"}

// within maps a package to the only packages of the project that it may import.
var within = map[string][]string{
	"runtime/agent": nil,
	// The statistics need the unit of a metric and make the names of metrics and gates
	// safe. Both imported packages only compute, and read nothing else.
	"bench/stats": {"bench/metrics", "runtime/text"},
}

// owners lists third-party packages that only one folder may import.
var owners = map[string][]string{
	"github.com/dgraph-io/badger": {"archive"},
	"github.com/go-git/go-git":    {"patch"},
	"github.com/urfave/cli":       {"cmd"},
	"github.com/prometheus":       {"cmd"},
	// Spans are made only through the interface. The process chooses where they go.
	"go.opentelemetry.io/otel/sdk": {"cmd"},
	"go.opentelemetry.io/proto":    {"cmd"},
}

// forTests are folders of packages for tests. Apart from test files, only these packages
// import them.
var forTests = []string{"cmd/evolve/internal/cli/clitest", "cmd/evolve/internal/hub/hubtest", "cmd/evolve/internal/metrics/metricstest"}

type listed struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

// TestImportDirection checks every import that go list reports against the architecture.
func TestImportDirection(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "evolve/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	packages := 0
	for dec.More() {
		var p listed
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		packages++
		self := strings.TrimPrefix(p.ImportPath, "evolve/")
		if self == "runtime" {
			t.Errorf("no Go file may stand directly in runtime/: the name shadows the standard package")
		}
		for _, imp := range p.Imports {
			if problem := judge(self, imp); problem != "" {
				t.Error(problem)
			}
		}
	}
	if packages < 10 {
		t.Fatalf("only %d packages were listed", packages)
	}
}

// TestImportJudgeCanFail checks that the check of imports finds forbidden imports.
func TestImportJudgeCanFail(t *testing.T) {
	for _, c := range [][2]string{
		{"runtime/turn", "evolve/bench"},
		{"mutate", "evolve/reports"},
		{"mutate", "github.com/dgraph-io/badger/v4"},
		{"reports", "github.com/urfave/cli/v2"},
		{"bench", "go.opentelemetry.io/otel/sdk/trace"},
		{"runtime/agent", "evolve/runtime/tool"},
		{"bench/stats", "evolve/bench"},
		{"reports/render", "evolve/archive"},
		{"reports/render/plot", "evolve/archive"},
		{"cmd/evolve", "evolve/cmd/evolve/internal/cli/clitest"},
		{"cmd/evolve/internal/wire", "evolve/cmd/evolve/internal/cli/clitest/fixture"},
	} {
		if judge(c[0], c[1]) == "" {
			t.Errorf("%s may import %s, and should not", c[0], c[1])
		}
	}
	for _, c := range [][2]string{
		{"bench", "evolve/runtime/agent"},
		{"bench", "evolve/bench/stats"},
		{"archive", "github.com/dgraph-io/badger/v4"},
		{"cmd/evolve", "evolve/reports"},
		{"cmd/evolve/internal/cli/clitest", "evolve/cmd/evolve/internal/hub/hubtest"},
	} {
		if p := judge(c[0], c[1]); p != "" {
			t.Error(p)
		}
	}
}

func judge(self, imp string) string {
	for prefix, rooms := range owners {
		if strings.HasPrefix(imp, prefix) && !slices.Contains(rooms, folder(self)) {
			return self + " imports " + imp + ", which only " + strings.Join(rooms, ", ") + " may know"
		}
	}
	other, ours := strings.CutPrefix(imp, "evolve/")
	if !ours {
		return ""
	}
	if strings.HasPrefix(self+"/", "reports/render/") && folder(other) == "archive" {
		return self + " imports " + other + ": a rendering shows the model of a report and reads no archive"
	}
	if slices.ContainsFunc(forTests, inFolder(other)) && !slices.ContainsFunc(forTests, inFolder(self)) {
		return self + " imports " + other + ", which is for tests"
	}
	if allowed, bound := within[self]; bound && !slices.Contains(allowed, other) {
		return self + " imports " + other + ", and may import of the project only " + strings.Join(allowed, ", ")
	}
	if slices.Index(order, folder(other)) > slices.Index(order, folder(self)) {
		return self + " imports " + other + ", which stands to its right"
	}
	return ""
}

// inFolder returns a function that reports whether the package at path is in the given
// folder or below it.
func inFolder(path string) func(folder string) bool {
	return func(folder string) bool { return strings.HasPrefix(path+"/", folder+"/") }
}

func folder(path string) string {
	first, _, _ := strings.Cut(path, "/")
	return first
}
