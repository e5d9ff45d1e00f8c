package doctor

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/cmd/evolve/internal/workspace"
)

func TestDoctorPatchTargets(t *testing.T) {
	git := needGit(t)
	const settings = "patches:\n  targets:\n    - {name: code, repo: code, allow: [cache]}\n"
	good := func(root string) {
		git(root, "init", "-q", "code")
		code := filepath.Join(root, "code")
		git(code, "config", "user.email", "a@example.org")
		git(code, "config", "user.name", "a")
		if err := os.MkdirAll(filepath.Join(code, "cache"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(code, "cache", "cache.go"), []byte("package cache\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		git(code, "add", "-A")
		git(code, "commit", "-q", "-m", "begin")
	}
	for name, c := range map[string]struct {
		settings string
		prepare  func(root string)
		spoil    func(*Probes)
		want     string
	}{
		"in order": {settings, good, func(*Probes) {}, `ok patches code: 1 path may be changed: cache
ok patches: no review by another agent, tests run in: namespaces
`},
		"measured by a command": {"patches:\n  targets:\n    - {name: code, repo: code, allow: [cache], benchmark: {command: [sh, run.sh]}}\n", good, func(*Probes) {}, `ok patches code: 1 path may be changed: cache; measured by sh run.sh
ok patches: no review by another agent, tests run in: namespaces
`},
		"measured by one that is not there": {"patches:\n  targets:\n    - {name: code, repo: code, allow: [cache], benchmark: {command: [./cache/run]}}\n", good, func(*Probes) {}, `warn patches code: "./cache/run" cannot be found, so no patch can be measured | name an installed program, or one in the repository, such as ./bench/run
ok patches: no review by another agent, tests run in: namespaces
`},
		"tried as an agent": {"patches:\n  targets:\n    - {name: code, repo: agents/solver, allow: [.], agent: solver}\n", func(root string) {
			git(root, "init", "-q", "agents/solver")
			own := filepath.Join(root, "agents", "solver")
			git(own, "config", "user.email", "a@example.org")
			git(own, "config", "user.name", "a")
			git(own, "add", "-A")
			git(own, "commit", "-q", "-m", "begin")
		}, func(*Probes) {}, `ok patches code: 1 path may be changed: .; tried with agent solver on 12 search tasks
ok patches: no review by another agent, tests run in: namespaces
`},
		"no repository": {settings, func(root string) { _ = os.Mkdir(filepath.Join(root, "code"), 0o755) }, func(*Probes) {}, `warn patches code: "code" is not in a git repository | run git init there, and commit the files
ok patches: no review by another agent, tests run in: namespaces
`},
		"no commit": {settings, func(root string) { git(root, "init", "-q", "code") }, func(*Probes) {}, `warn patches code: "code" has no commit yet | commit its files
ok patches: no review by another agent, tests run in: namespaces
`},
		"SHA-256": {settings, func(root string) { git(root, "init", "-q", "--object-format=sha256", "code") }, func(*Probes) {}, `fail patches code: hashes its objects with SHA-256, which evolve cannot write | keep the workspace in a repository made with git init --object-format=sha1
ok patches: no review by another agent, tests run in: namespaces
`},
		"a scope that is not there": {"patches:\n  targets:\n    - {name: code, repo: code, allow: [cache, cash/]}\n", good, func(*Probes) {}, `warn patches code: paths that patches may change do not exist: cash/ | paths are relative to the root of the repository
ok patches: no review by another agent, tests run in: namespaces
`},
		"no walls": {settings, good, func(p *Probes) {
			p.Sandbox = func(context.Context) (string, error) { return "none", errors.New("no namespaces") }
		}, `ok patches code: 1 path may be changed: cache
warn patches: the tests of patches are not run, because there is no sandbox: no namespaces | allow user namespaces, or install bubblewrap; to run the tests without a sandbox, set patches.sandbox: none
`},
		"no walls wanted": {settings + "  sandbox: none\n", good, func(p *Probes) {
			p.Sandbox = func(context.Context) (string, error) { return "none", errors.New("no namespaces") }
		}, `ok patches code: 1 path may be changed: cache
warn patches: the tests of patches run with your own rights: no namespaces | remove patches.sandbox on a machine that has a sandbox
`},
		"walls that cannot show a tree at one place": {settings, good, func(p *Probes) {
			p.Sandbox = func(context.Context) (string, error) { return "landlock", nil }
		}, `ok patches code: 1 path may be changed: cache
warn patches: the tests of patches are not run, because there is no sandbox: Landlock alone is not enough for these tests | allow user namespaces, or install bubblewrap; to run the tests without a sandbox, set patches.sandbox: none
`},
		"no go": {settings, good, func(p *Probes) {
			p.LookPath = func(name string) (string, error) {
				if name == "go" {
					return "", exec.ErrNotFound
				}
				return exec.LookPath(name)
			}
		}, `ok patches code: 1 path may be changed: cache
warn patches: go cannot be found | install Go: a patch is not shown until its tests have run
`},
		"no go, for a target without it": {settings, func(root string) {
			good(root)
			code := filepath.Join(root, "code")
			git(code, "mv", "cache/cache.go", "cache/cache.py")
			git(code, "commit", "-q", "-m", "another language")
		}, func(p *Probes) {
			p.LookPath = func(name string) (string, error) {
				if name == "go" {
					return "", exec.ErrNotFound
				}
				return exec.LookPath(name)
			}
		}, `ok patches code: 1 path may be changed: cache
ok patches: no review by another agent, tests run in: namespaces
`},
	} {
		t.Run(name, func(t *testing.T) {
			root := solver(t)
			if err := os.WriteFile(filepath.Join(root, workspace.SettingsFile), []byte(c.settings), 0o644); err != nil {
				t.Fatal(err)
			}
			c.prepare(root)
			p := healthy(t, root)
			c.spoil(&p)
			if diff := cmp.Diff(c.want, lines(Run(t.Context(), p), "patches", "patches code")); diff != "" {
				t.Error(diff)
			}
		})
	}
}
