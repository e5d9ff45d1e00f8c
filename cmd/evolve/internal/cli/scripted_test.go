package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// longOnly are commands on gated patches and on versions of code. All their scripts are
// long because they run compilers. The packages behind these commands have tests in short
// runs.
var longOnly = []string{"adopt", "adopt sync", "code compare", "code lineage", "patch list", "patch review", "patch show"}

// TestEveryCommandHasAScript checks that each command is run by a script, with and without
// --json, and also by a script of short runs.
func TestEveryCommandHasAScript(t *testing.T) {
	scripts, err := filepath.Glob(filepath.Join("scripts", "*", "testdata", "script", "*.txtar"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d scripts: %v", len(scripts), err)
	}
	var lines, short []string
	for _, s := range scripts {
		data, err := os.ReadFile(s)
		if err != nil {
			t.Fatal(err)
		}
		own := strings.Split(string(data), "\n")
		lines = append(lines, own...)
		if !slices.ContainsFunc(own, func(l string) bool { return strings.HasPrefix(l, "[short] skip") }) {
			short = append(short, own...)
		}
	}
	in := func(lines []string, command, flag string) bool {
		return slices.ContainsFunc(lines, func(l string) bool {
			at := strings.Index(l+" ", "evolve "+command+" ")
			return at >= 0 && strings.Contains(l[at:], flag)
		})
	}
	typed := func(command, flag string) bool { return in(lines, command, flag) }
	var walk func(commands []*cli.Command, parent string)
	walk = func(commands []*cli.Command, parent string) {
		for _, c := range commands {
			name := strings.TrimSpace(parent + " " + c.Name)
			if !typed(name, "") {
				t.Errorf("no script runs evolve %s", name)
			}
			if !in(short, name, "") && !slices.Contains(longOnly, name) {
				t.Errorf("no script of short runs, which the race detector looks at, runs evolve %s", name)
			}
			if (len(c.Subcommands) == 0 || hasOwn(c)) && !typed(name, "--json") {
				t.Errorf("no script runs evolve %s with --json", name)
			}
			for _, f := range ownFlags(c) {
				if long := "--" + f.Names()[0]; !typed(name, long) {
					t.Errorf("no script runs evolve %s with %s", name, long)
				}
			}
			walk(c.Subcommands, name)
		}
	}
	walk(testCommands(t), "")
}
