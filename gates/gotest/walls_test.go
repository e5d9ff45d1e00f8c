package gotest

import (
	"crypto/rand"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/gates"
	"evolve/runtime/sandbox"
)

// doubling returns a small module, an honest patch to it, and a patch that cheats: the
// latter is wrong, and ends each test process with success before any test runs.
func doubling() (base, honest, cheat map[string][]byte) {
	base = map[string][]byte{
		"go.mod":    []byte("module example.org/doubling\n\ngo 1.24\n"),
		"d.go":      []byte("package doubling\n\n// Twice doubles.\nfunc Twice(n int) int { return n * 2 }\n"),
		"a_test.go": []byte("package doubling\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestTwice(t *testing.T) {\n\tif Twice(2) != 4 || os.Getpid() < 1 {\n\t\tt.Error()\n\t}\n}\n"),
	}
	honest, cheat = maps.Clone(base), maps.Clone(base)
	honest["d.go"] = []byte("package doubling\n\n// Twice doubles.\nfunc Twice(n int) int { return n + n }\n")
	cheat["d.go"] = []byte("package doubling\n\nimport \"os\"\n\nfunc init() {\n\tif len(os.Args) > 1 {\n\t\tos.Exit(0)\n\t}\n}\n\n// Twice doubles.\nfunc Twice(n int) int { return n + 3 }\n")
	return base, honest, cheat
}

// TestWalls checks that the gates give the same verdicts in every sandbox, and also without
// one if the operator accepts that, and that they refuse with a hint when the sandbox is
// insufficient.
func TestWalls(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the gates eight times")
	}
	tools, err := FindToolchain(t.Context(), "go")
	if err != nil {
		t.Fatal(err)
	}
	l := &Lab{Toolchain: tools, Cache: t.TempDir(), Temp: t.TempDir(), Random: rand.Reader, Now: time.Now}
	base, honest, cheat := doubling()
	seed(t.Context(), t, l, base)
	gated := func(t *testing.T, candidate map[string][]byte) (string, map[string]string, string) {
		t.Helper()
		return judgeChange(t.Context(), t, l, changeOf(t, base, candidate))
	}
	// The verdicts are the same in all sandboxes.
	wantHonest := map[string]string{
		Build: "passed", Vet: "passed", Affected: "passed", All: "passed", Canary: "passed", Mutants: "passed", Coverage: "passed",
		Rename: "passed", Copied: "passed", NewTests: "passed", Race: "passed", Beside: "passed",
	}
	wantCheat := map[string]string{
		Build: "passed", Vet: "passed", Affected: "failed", All: "not_run", Canary: "not_run", Mutants: "not_run", Coverage: "not_run",
		Rename: "not_run", Copied: "passed", NewTests: "passed", Race: "not_run", Beside: "not_run",
	}
	wantLane := "passed"
	alike := func(t *testing.T) {
		t.Helper()
		lane, verdicts, said := gated(t, honest)
		if diff := cmp.Diff(wantHonest, verdicts); lane != wantLane || diff != "" {
			t.Errorf("an honest patch: %s\n%s\n%s", lane, diff, said)
		}
		without := l.Sandbox.Err() != nil
		if strings.Contains(said, "WITHOUT a sandbox") != without {
			t.Errorf("without a sandbox: %t, but\n%s", without, said)
		}
		lane, verdicts, said = gated(t, cheat)
		if diff := cmp.Diff(wantCheat, verdicts); lane != "failed" || diff != "" {
			t.Errorf("a cheat: %s\n%s\n%s", lane, diff, said)
		}
	}
	for _, name := range []string{"namespaces", "bubblewrap", "landlock"} {
		t.Run(name, func(t *testing.T) {
			walls, err := sandbox.Try(t.Context(), name)
			if err != nil {
				t.Skipf("not to be had here: %v", err)
			}
			l.Sandbox = walls.WithPlaces()
			if name != "landlock" {
				alike(t)
				return
			}
			lane, verdicts, said := gated(t, honest)
			for gate, v := range verdicts {
				if v != string(gates.NotRun) {
					t.Errorf("%s: %s", gate, v)
				}
			}
			if lane != "failed" || !strings.Contains(said, "Landlock alone cannot make a folder appear at a different path; allow user namespaces, or install bubblewrap") {
				t.Error(lane, said)
			}
		})
	}
	t.Run("none", func(t *testing.T) {
		l.Sandbox, l.Unwalled = sandbox.None("none are wanted"), true
		wantHonest[Beside], wantLane = "flagged", "human" // no drawn input is given to code without a sandbox
		alike(t)
	})
}
