package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"evolve/bench/gobench"
	"evolve/gates/gotest"
	"evolve/runtime/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Init() // this binary also runs inside the sandbox
	os.Exit(m.Run())
}

var detected = sync.OnceValue(func() sandbox.Sandbox { return sandbox.Detect(context.Background()) })

var installed = sync.OnceValues(func() (gotest.Toolchain, error) { return gotest.FindToolchain(context.Background(), "go") })

// commanded returns a runner whose command is a script in the tree, and its build.
func commanded(t *testing.T, walls sandbox.Sandbox, script string) (*Runner, *Built) {
	t.Helper()
	tools, err := installed()
	if err != nil {
		t.Skip(err)
	}
	tree, folder := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(tree, "measure.sh"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	r := &Runner{
		Sandbox: walls, Unwalled: true, Tools: tools, Folder: folder, Cache: filepath.Join(folder, "cache"),
		Command: []string{"./measure.sh", "two words"}, Metric: "work/op",
	}
	b, err := r.Compile(t.Context(), "base", tree) // there is nothing to compile
	if err != nil {
		t.Fatal(err)
	}
	return r, b
}

// each runs a test with the sandbox of this machine, and without one.
func each(t *testing.T, test func(*testing.T, sandbox.Sandbox)) {
	t.Run("walls", func(t *testing.T) {
		if err := detected().Err(); err != nil {
			t.Skip(err)
		}
		test(t, detected())
	})
	t.Run("none", func(t *testing.T) { test(t, sandbox.None("a test")) })
}

// TestCommand checks that a command gets its arguments, runs in the tree, and may write
// there, but that its files are gone in the next run.
func TestCommand(t *testing.T) {
	each(t, func(t *testing.T, walls sandbox.Sandbox) {
		r, b := commanded(t, walls, `
[ -e left ] && exit 3
echo "$1" > left && grep -q 'two words' left && echo BenchmarkCopy 1 20 work/op 3 ns/op`)
		for range 2 {
			run, err := r.Run(t.Context(), b)
			if got := run[gobench.Key{Benchmark: "BenchmarkCopy", Unit: "work/op"}]; err != nil || len(run) != 2 || len(got) != 1 || got[0] != 20 {
				t.Fatal(run, err)
			}
		}
		if _, err := os.Stat(filepath.Join(b.tree, "left")); err == nil {
			t.Error("it wrote to the tree")
		}
	})
}

// TestSidesLookAlike checks that a command cannot detect which side it runs on.
func TestSidesLookAlike(t *testing.T) {
	each(t, func(t *testing.T, walls sandbox.Sandbox) {
		r, b := commanded(t, walls, `{ pwd; env | grep -v -e '^HOME=' -e '^TMPDIR=' -e '^EVOLVE_MARK=' | sort; } | cksum | sed 's/\([0-9]*\).*/BenchmarkView 1 \1 work\/op/'`)
		other := t.TempDir()
		if err := os.CopyFS(other, os.DirFS(b.tree)); err != nil {
			t.Fatal(err)
		}
		c, err := r.Compile(t.Context(), "candidate", other)
		if err != nil {
			t.Fatal(err)
		}
		key := gobench.Key{Benchmark: "BenchmarkView", Unit: "work/op"}
		one, err := r.Run(t.Context(), b)
		two, problem := r.Run(t.Context(), c)
		if err != nil || problem != nil || one[key][0] != two[key][0] {
			t.Error(one, two, err, problem)
		}
	})
}

// TestCommandIsToBlame checks that every failure of a command is reported as the code's
// fault and names the command.
func TestCommandIsToBlame(t *testing.T) {
	for name, c := range map[string]struct{ script, says string }{
		"a failure":       {"echo BenchmarkCopy 1 20 work/op; echo no disk >&2; exit 2", "measure.sh ended with exit code 2: no disk"},
		"a flood":         {"yes BenchmarkCopy 1 20 work/op | head -c 5000000", "measure.sh printed too much"},
		"nothing":         {"echo fast", "measure.sh: none of its lines is a result such as: BenchmarkName 100 123 work/op"},
		"no number":       {"echo BenchmarkCopy 1 NaN work/op", `measure.sh: line 1: "BenchmarkCopy" has NaN work/op`},
		"a forged line":   {"echo BenchmarkCopy 1 1 work/op; echo BenchmarkCopy 1 20 work/op", "line 2: \"BenchmarkCopy\" has two values in work/op"},
		"another unit":    {"echo BenchmarkCopy 1 20 ns/op", "none of its results is in work/op"},
		"no such program": {`rm "$0"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, b := commanded(t, sandbox.None("a test"), c.script)
			if c.says == "" {
				r.Command, c.says = []string{"./elsewhere.sh"}, "elsewhere.sh"
			}
			_, err := r.Run(t.Context(), b)
			var code *CodeError
			if !errors.As(err, &code) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %q", err, c.says)
			}
		})
	}
}

// TestCommandHasNoWay checks that a command has no network, no variables and no access to
// the machine, and does not run without a sandbox unless the operator allows it.
func TestCommandHasNoWay(t *testing.T) {
	t.Setenv("SECRET_KEY", "opensesame")
	each(t, func(t *testing.T, walls sandbox.Sandbox) {
		r, b := commanded(t, walls, `env | grep -q opensesame && exit 3; echo BenchmarkCopy 1 20 work/op`)
		if _, err := r.Run(t.Context(), b); err != nil {
			t.Error(err)
		}
	})
	if err := detected().Err(); err != nil {
		t.Skip(err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("opensesame"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, b := commanded(t, detected(), "cat '"+secret+"' && exit 3; [ \"$(cat /proc/net/dev | grep -c :)\" = 1 ] || exit 4; echo BenchmarkCopy 1 20 work/op")
	if _, err := r.Run(t.Context(), b); err != nil {
		t.Error(err)
	}
	r, b = commanded(t, sandbox.None("a test"), "touch ran")
	r.Unwalled = false
	if _, err := r.Run(t.Context(), b); err == nil || !strings.Contains(err.Error(), "without a sandbox") {
		t.Error(err)
	}
}

// TestCommandInGo checks that a harness in Go finds its dependencies already compiled.
func TestCommandInGo(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles a program")
	}
	if err := detected().Layers(); err != nil {
		t.Skip(err)
	}
	r, b := commanded(t, detected(), "exit 9")
	for name, text := range map[string]string{
		"go.mod":           "module example.org/m\n\ngo 1.24\n",
		"measured/main.go": "package main\n\nfunc main() { report() }\n",
		"measured/out.go":  "package main\n\nimport \"os\"\n\nfunc report() { os.Stdout.WriteString(\"BenchmarkCopy 1 20 work/op\\n\") }\n",
	} {
		full := filepath.Join(b.tree, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o700), os.WriteFile(full, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	r.Command = []string{"go", "run", "./measured"}
	// The standard library is compiled once for all tests that share the folder.
	r.Cache = filepath.Join(os.TempDir(), fmt.Sprintf("evolve-test-caches-%d", os.Getuid()), "evolve", "patches", "benchmarks")
	b, err := r.Compile(t.Context(), "base", b.tree)
	if err != nil {
		t.Fatal(err)
	}
	if run, err := r.Run(t.Context(), b); err != nil || len(run) != 1 {
		t.Error(run, err)
	}
}

// TestWorkspace checks that the modules in a go.work find each other.
func TestWorkspace(t *testing.T) {
	r, tree := &Runner{Tools: gotest.Toolchain{Root: "/go"}}, t.TempDir()
	if env := r.environment(tree); !slices.Contains(env, "GOWORK=off") {
		t.Error(env)
	}
	if err := os.WriteFile(filepath.Join(tree, "go.work"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if env := r.environment(tree); !slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "GOWORK=/") && strings.HasSuffix(v, "/go.work") }) {
		t.Error(env)
	}
}

// TestVendored checks that a module with a vendor folder uses it.
func TestVendored(t *testing.T) {
	r, tree := &Runner{Tools: gotest.Toolchain{Root: "/go"}}, t.TempDir()
	if env := r.environment(tree); !slices.Contains(env, "GOFLAGS=-mod=readonly -buildvcs=false") {
		t.Error(env)
	}
	list := filepath.Join(tree, "vendor", "modules.txt")
	if err := errors.Join(os.Mkdir(filepath.Dir(list), 0o700), os.WriteFile(list, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if env := r.environment(tree); !slices.Contains(env, "GOFLAGS=-mod=vendor -buildvcs=false") {
		t.Error(env)
	}
}
