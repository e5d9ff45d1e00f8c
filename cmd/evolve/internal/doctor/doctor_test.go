package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	rtext "evolve/runtime/text"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/batch/coding"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/constants"
	"evolve/mutate/night/limits"
	"evolve/runtime/autonomy"
	"evolve/runtime/sandbox"
)

// healthy returns probes that find nothing wrong, with a real git.
func healthy(t *testing.T, root string) Probes {
	t.Helper()
	home := t.TempDir()
	return Probes{
		Root:      root,
		Load:      func() (*workspace.Workspace, error) { return workspace.Load(root, testBuiltins()) },
		Git:       RunGit([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES=" + filepath.Dir(root)}),
		Sandbox:   func(context.Context) (string, error) { return "namespaces", nil },
		Free:      func(string) (uint64, error) { return 50 << 30, nil },
		Writable:  workspace.TryWrite,
		Now:       func() time.Time { return time.Date(2030, 5, 1, 2, 0, 0, 0, time.UTC) },
		Archive:   func(context.Context) (string, error) { return "2 runs", nil },
		LookPath:  exec.LookPath,
		LookupEnv: func(string) (string, bool) { return "", false },

		Unfinished: func(context.Context) (string, string, error) { return "", "", nil },
		Level:      func(context.Context, string) (autonomy.Level, error) { return autonomy.Lowest, nil },
		Leftovers:  func(context.Context) ([]string, error) { return nil, nil },
		Probe: func(context.Context, string, workspace.Provider, workspace.Route) (string, error) {
			return "", nil
		},
		Limits: evenShares,
		Marks:  func(string) (int, []constants.Problem, error) { return 0, nil, errors.New("no repository") },
		Blocks: func(context.Context, *workspace.Workspace, string) (*coding.Prospect, error) {
			return nil, errors.New("no repository")
		},
		Backup:   func(*workspace.Workspace) (last, fault string) { return "after night 2", "" },
		Signing:  func(context.Context) (Signing, error) { return Signing{}, nil },
		Schedule: func(context.Context) (words, fault, hint string) { return "", "", "" },
		Hub:      func(context.Context, *workspace.Workspace) (words, fault string, err error) { return "", "", nil },
	}
}

// evenShares divides the evaluations in the settings evenly among the agents.
func evenShares(_ context.Context, w *workspace.Workspace) ([]batch.Expectation, error) {
	b := w.Settings.Budget
	if b == (workspace.Budget{}) {
		b.Evaluations = workspace.DefaultEvaluations
	}
	var out []batch.Expectation
	for i := range w.Agents {
		n := b.Evaluations / len(w.Agents)
		if i < b.Evaluations%len(w.Agents) {
			n++
		}
		e := batch.Expectation{Agent: w.Agents[i].ID, Evaluations: n, Text: rtext.Count(n, "evaluation")}
		if b == (workspace.Budget{Evaluations: b.Evaluations}) {
			e.Limit = limits.Evaluations
		}
		out = append(out, e)
	}
	return out, nil
}

// solver returns the folder of a copy of the workspace in testdata.
func solver(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS("../workspace/testdata/solver")); err != nil {
		t.Fatal(err)
	}
	// Files copied from a module's archive do not have their executable bits.
	if err := os.Chmod(filepath.Join(root, "agents/solver/agent.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	return root
}

// lines formats the checks, one per line, with hints after a bar.
func lines(checks []Check, names ...string) string {
	var b strings.Builder
	for _, c := range checks {
		if len(names) > 0 && !strings.Contains(" "+strings.Join(names, " ")+" ", " "+c.Name+" ") {
			continue
		}
		fmt.Fprintf(&b, "%s %s: %s", c.Status, c.Name, c.Text)
		if c.Hint != "" {
			b.WriteString(" | " + c.Hint)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func needGit(t *testing.T) func(root string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	return func(root string, args ...string) {
		t.Helper()
		if out, err := healthy(t, root).Git(context.Background(), root, args...); err != nil {
			t.Fatalf("git %v: %v %s", args, gitMessage(err), out)
		}
	}
}

func TestDoctorHealthy(t *testing.T) {
	git := needGit(t)
	root := solver(t)
	if _, _, err := workspace.Init(root, nil, true); err != nil { // .gitignore
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "-q"},
		{"config", "user.email", "a@example.org"},
		{"config", "user.name", "a"},
		{"add", "-A"},
		{"commit", "-q", "-m", "begin"},
	} {
		git(root, args...)
	}
	p := healthy(t, root)
	got := Run(context.Background(), p)
	for i, c := range got {
		if c.Name == "git" {
			got[i].Text = strings.Trim(c.Text, "0123456789.") + "N"
		}
	}
	want := `ok workspace: parses: 1 agent, 1 suite
ok git: git version N
ok repository: is clean
ok sandbox: namespaces
ok disk: 50 GiB free
ok write: the workspace is writable
ok clock: 2030-05-01 02:00 +00:00
ok archive: 2 runs
ok backup: after night 2
ok suite tasks: 24 tasks (12 search, 12 holdout), 2 domains, 24 clusters
ok agent solver: its program "./agent.sh" exists; it has no network (network: none)
ok limits solver: 200 evaluations
warn power solver: can show an improvement of 62 points or more on new tasks (80 % power, 12 independent holdout tasks, 12 pairs a night) | an improvement of 10 points needs about 319 independent holdout tasks
`
	if diff := cmp.Diff(want, lines(got)); diff != "" {
		t.Error(diff)
	}
	if out, _ := p.Git(context.Background(), root, "status", "--porcelain", "--ignored"); out != "" {
		t.Errorf("doctor left something behind: %s", out)
	}
}

func TestDoctorRepository(t *testing.T) {
	git := needGit(t)
	run := func(args ...string) func(string) { return func(root string) { git(root, args...) } }
	write := func(name, content string) func(string) {
		return func(root string) {
			if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	ignore := write(".gitignore", ".evolve/\n")
	const unignored = "warn repository: does not ignore .evolve/, so every run leaves the tree changed | add .evolve/ to .gitignore\n"
	for _, c := range []struct {
		name  string
		steps []func(string)
		want  string
	}{
		{"none", nil, "ok repository: none: the first approval lists what it would commit, and offers to create a repository\n"},
		{"not ignored", []func(string){run("init", "-q")}, unignored},
		{"dirty", []func(string){run("init", "-q"), ignore}, "warn repository: has changes that are not committed: 4 files | commit or undo them: an approval commits only in a clean tree\n"},
		{"replaced", []func(string){
			run("init", "-q"), ignore, write("other", "other\n"), run("add", "-A"), run("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "begin"),
			run("replace", "HEAD:other", "HEAD:.gitignore"), run("config", "user.email", "a@example.org"),
		}, "warn repository: has replace refs for 1 object, which git follows and evolve ignores: e45c9c2666d4 | `git replace --list` lists the replace refs, and `git replace --delete OBJECT` removes one\n"},
		{"sha256", []func(string){run("init", "-q", "--object-format=sha256")}, "fail repository: hashes its objects with SHA-256, which evolve cannot write | keep the workspace in a repository made with git init --object-format=sha1\n"},
		{"worktreeConfig", []func(string){run("init", "-q"), run("config", "extensions.worktreeConfig", "true")}, "warn repository: uses worktreeConfig in a repository with format version 0: evolve reads it, but other programs may refuse it | git config core.repositoryformatversion 1\n" + unignored},
		{"reftable", []func(string){run("init", "-q"), write(".git/config", "[core]\nrepositoryformatversion = 1\n[extensions]\nrefstorage = reftable\n")}, "fail repository: stores its refs as reftable, which evolve cannot write | git refs migrate --ref-format=files\n"},
		{"partial clone", []func(string){run("init", "-q"), run("config", "extensions.partialClone", "origin")}, "warn repository: is a partial clone: missing objects cannot be read | use a full clone\n" + unignored},
		{"version", []func(string){run("init", "-q"), run("config", "core.repositoryformatversion", "7")}, "fail repository: has the format version 7, which evolve does not support | use a repository with format version 0 or 1\n"},
		{"extension", []func(string){run("init", "-q"), write(".git/config", "[core]\nrepositoryformatversion = 1\n[extensions]\nfuture = yes\n")}, "fail repository: has the extension future, which evolve does not support | use a repository without this extension\n"},
		{"working tree elsewhere", []func(string){run("init", "-q"), run("config", "core.worktree", "/")}, "fail repository: has its working tree elsewhere, in / | git config --unset core.worktree\n"},
		{"shallow", []func(string){run("init", "-q"), write(".git/shallow", "")}, "warn repository: is a shallow clone: older commits are missing | git fetch --unshallow\n" + unignored},
		{"alternates", []func(string){run("init", "-q"), write(".git/objects/info/alternates", "../nowhere\n")}, "warn repository: borrows objects from ../nowhere, which does not exist | restore that folder; git repack -ad then copies its objects into the clone\n" + unignored},
		{"broken", []func(string){run("init", "-q"), write(".git/config", "[core\n")}, "fail repository: cannot be opened: reading git's settings (config): 1:6: expected subsection name or right bracket | git config --list --show-origin shows the settings\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := build(t, spoil(nil))
			for _, step := range c.steps {
				step(root)
			}
			p := healthy(t, root)
			if diff := cmp.Diff(c.want, lines(Run(context.Background(), p), "repository")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestDoctorGitUser checks that doctor reports as missing whatever a decision would find
// missing: the name or the address of git's user, inside or outside a repository. The
// hints must be complete.
func TestDoctorGitUser(t *testing.T) {
	git := needGit(t)
	const setName, setEmail = `git config --global user.name "Your Name"`, "git config --global user.email you@example.org"
	for _, c := range []struct {
		name  string
		steps [][]string
		want  string
	}{
		{"no repository", nil, "warn git: user.name and user.email are not set; decisions are recorded with your git name and email address | " + setName + "; " + setEmail + "\n"},
		{"neither", [][]string{{"init", "-q"}}, "warn git: user.name and user.email are not set; decisions are recorded with your git name and email address | " + setName + "; " + setEmail + "\n"},
		{"no name", [][]string{{"init", "-q"}, {"config", "user.email", "a@example.org"}}, "warn git: user.name is not set; decisions are recorded with your git name and email address | " + setName + "\n"},
		{"a blank name", [][]string{{"init", "-q"}, {"config", "user.email", "a@example.org"}, {"config", "user.name", " "}}, "warn git: user.name is not set; decisions are recorded with your git name and email address | " + setName + "\n"},
		{"no address", [][]string{{"init", "-q"}, {"config", "user.name", "a"}}, "warn git: user.email is not set; decisions are recorded with your git name and email address | " + setEmail + "\n"},
		{"both", [][]string{{"init", "-q"}, {"config", "user.name", "a"}, {"config", "user.email", "a@example.org"}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := build(t, spoil(nil))
			for _, step := range c.steps {
				git(root, step...)
			}
			_, got, _ := strings.Cut(lines(Run(context.Background(), healthy(t, root)), "git"), "\n")
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDoctorFindings(t *testing.T) {
	for _, c := range []struct {
		name   string
		files  map[string]string
		spoil  func(*Probes)
		checks []string
		want   string
	}{
		{
			"broken workspace",
			map[string]string{"evolve.yaml": "budgte: 1\n"},
			nil,
			[]string{"workspace", "power"},
			"fail workspace: evolve.yaml:1:1: unknown key \"budgte\" | did you mean \"budget\"?\n",
		},
		{
			"no git", nil, func(p *Probes) {
				p.Git = func(context.Context, string, ...string) (string, error) { return "", exec.ErrNotFound }
			},
			[]string{"git", "repository"},
			"warn git: is not installed | install git to approve proposals in a checked-out workspace and to read their history\n",
		},
		{
			"no sandbox", nil, func(p *Probes) {
				p.Sandbox = func(context.Context) (string, error) { return "", errors.New("user namespaces are off") }
			},
			[]string{"sandbox"},
			"warn sandbox: there is no sandbox, so programs run with your rights: user namespaces are off | allow user namespaces, or install bubblewrap\n",
		},
		{
			"a system without a sandbox", nil, func(p *Probes) {
				p.Sandbox = func(context.Context) (string, error) { return "", sandbox.ErrSystem }
			},
			[]string{"sandbox"},
			"warn sandbox: there is no sandbox, so programs run with your rights: only Linux has a sandbox that evolve can use | " +
				"if you do not trust the programs that evolve runs, run it on Linux, or else inside a virtual machine or a container\n",
		},
		{
			"sandbox declined",
			map[string]string{"agents/solver/agent.yaml": strings.Replace(goodHead, "argv", "sandbox: none, argv", 1) + goodSpace},
			nil,
			[]string{"sandbox"},
			"warn sandbox: namespaces; switched off for solver\n",
		},
		{
			"full disk", nil, func(p *Probes) { p.Free = func(string) (uint64, error) { return 5 << 20, nil } },
			[]string{"disk"},
			"fail disk: only 5.0 MiB free | free some disk space: a run stops when the disk is full\n",
		},
		{
			"scarce disk", nil, func(p *Probes) { p.Free = func(string) (uint64, error) { return 500 << 20, nil } },
			[]string{"disk"},
			"warn disk: only 500 MiB free\n",
		},
		{
			"read-only", nil, func(p *Probes) {
				p.Writable = func(string) error { return &fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission} }
			},
			[]string{"write"},
			"fail write: the workspace is not writable: permission denied | a run stores its archive in .evolve/\n",
		},
		{
			"metrics that cannot be written",
			map[string]string{"evolve.yaml": "metrics: {textfile: none/evolve.prom}\n"},
			nil,
			[]string{"metrics"},
			"warn metrics: none/evolve.prom cannot be written: no such file or directory | " +
				"create the folder of the file that evolve.yaml sets as metrics.textfile, and give the user who runs the nights write access to it; until then, runs continue without writing the file\n",
		},
		{
			"traces by grpc", nil, func(p *Probes) {
				p.LookupEnv = func(name string) (string, bool) {
					v := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}[name]
					return v, v != ""
				}
			},
			[]string{"traces"},
			"warn traces: no traces are sent: OTEL_EXPORTER_OTLP_PROTOCOL is \"grpc\", but evolve sends only http/protobuf, which collectors accept on port 4318 | " +
				"`evolve help metrics` lists the environment variables; a run continues without traces\n",
		},
		{
			"clock not set", nil, func(p *Probes) { p.Now = func() time.Time { return time.Unix(0, 0) } },
			[]string{"clock"},
			"fail clock: it is set to 1970-01-01 | set the clock: deadlines and the ledger depend on it\n",
		},
		{
			"clock behind", nil, func(p *Probes) {
				p.Git = func(_ context.Context, _ string, args ...string) (string, error) {
					return "2031-01-01T00:00:00+02:00", nil
				}
			},
			[]string{"clock"},
			"warn clock: the clock shows 2030-05-01 02:00:00, which is before the time of the last commit, 2030-12-31 22:00:00 | set the clock: deadlines and the ledger depend on it\n",
		},
		{
			"no archive", nil, func(p *Probes) { p.Archive = archiveError(archive.ErrNotFound) },
			[]string{"archive"},
			"ok archive: none yet: the first run creates it\n",
		},
		{
			"archive held", nil, func(p *Probes) { p.Archive = archiveError(fmt.Errorf("%w: evolve run", archive.ErrLocked)) },
			[]string{"archive"},
			"warn archive: the archive is held by another process: evolve run | wait for that process to end, or end it; evolve takes over a lock left by a crash\n",
		},
		{
			"archive of a newer version", nil, func(p *Probes) { p.Archive = archiveError(archive.ErrNewer) },
			[]string{"archive"},
			"fail archive: the archive was written by a newer version of evolve | install the newer version of evolve\n",
		},
		{
			"archive damaged", nil, func(p *Probes) { p.Archive = archiveError(archive.ErrCorrupt) },
			[]string{"archive"},
			"fail archive: the archive is damaged | evolve archive repair lists the records that can be saved, without changing anything; or restore a backup\n",
		},
		{
			"few holdout tasks", nil, nil,
			[]string{"suite tasks", "tasks", "power solver"},
			"warn suite tasks: 2 tasks (1 search, 1 holdout), 1 domain, 2 clusters: 1 independent holdout task, too few for a claim about new tasks | add tasks: at least 8 holdout clusters of about equal weight are needed\n" +
				"warn power solver: no improvement on new tasks can be shown (1 independent holdout task, 650 pairs a night) | an improvement of 10 points needs about 19 independent holdout tasks\n",
		},
		{
			"no holdout",
			map[string]string{"suites/tasks.jsonl": `{"id":"t","goal":"x","answer":"y","split":"search"}` + "\n"},
			nil,
			[]string{"suite tasks", "tasks"},
			"warn suite tasks: 1 task (1 search, 0 holdout), 1 domain, 1 cluster: without holdout tasks the verdict is always undecided | assign some tasks to the holdout split\n",
		},
		{
			"unused suite without search",
			map[string]string{"suites/other.jsonl": `{"id":"t","goal":"x","answer":"y","split":"holdout"}` + "\n"},
			nil,
			[]string{"suite other", "other"},
			"warn suite other: 1 task (0 search, 1 holdout), 1 domain, 1 cluster; no agent uses it: there are no search tasks | assign some tasks to the search split\n",
		},
		{
			"program missing", nil, nil,
			[]string{"agent solver"},
			"fail agent solver: its program \"./a.sh\" cannot be found | relative paths are resolved against agents/solver; a script must be executable\n",
		},
		{
			"program not executable",
			map[string]string{"agents/solver/a.sh": "#!/bin/sh\n"},
			nil,
			[]string{"agent solver"},
			"fail agent solver: its program \"./a.sh\" cannot be run: permission denied | relative paths are resolved against agents/solver; a script must be executable\n",
		},
		{
			"network",
			map[string]string{"agents/solver/agent.yaml": "id: solver\nadapter: {kind: command, argv: [sh], network: host}\nsuites: [tasks]\n" + goodSpace},
			nil,
			[]string{"agent solver"},
			"ok agent solver: its program \"sh\" exists; it has the host's network (network: host)\n",
		},
		{
			"network without a sandbox",
			map[string]string{"agents/solver/agent.yaml": "id: solver\nadapter: {kind: command, argv: [sh]}\nsuites: [tasks]\n" + goodSpace},
			func(p *Probes) {
				p.Sandbox = func(context.Context) (string, error) { return "", errors.New("user namespaces are off") }
			},
			[]string{"agent solver"},
			"ok agent solver: its program \"sh\" exists; its network access is unrestricted, because there is no sandbox to restrict it\n",
		},
		{
			"variable not set",
			map[string]string{"agents/solver/agent.yaml": "id: solver\nadapter: {kind: command, argv: [sh], env: [MY_KEY]}\nsuites: [tasks]\n" + goodSpace},
			nil,
			[]string{"agent solver"},
			"warn agent solver: its program \"sh\" exists; it has no network (network: none); missing from the environment: MY_KEY\n",
		},
		{
			"nothing to search",
			map[string]string{"agents/solver/agent.yaml": "id: solver\nadapter: {kind: command, argv: [sh]}\nsuites: [tasks]\n"},
			nil,
			[]string{"agent solver"},
			"warn agent solver: has no parameters, so there is nothing to search | declare its parameters under space: in agent.yaml\n",
		},
		{
			"built in",
			map[string]string{"agents/helper/agent.yaml": goodBuilt},
			nil,
			[]string{"agent helper"},
			"ok agent helper: built in, heuristic model\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := healthy(t, build(t, spoil(c.files)))
			if c.spoil != nil {
				c.spoil(&p)
			}
			var got []Check
			for _, check := range Run(context.Background(), p) {
				for _, name := range c.checks {
					if check.Name == name {
						got = append(got, check)
					}
				}
			}
			if diff := cmp.Diff(c.want, lines(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func archiveError(err error) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return "", err }
}

func TestFreeSpace(t *testing.T) {
	if free, err := FreeSpace(t.TempDir()); err != nil || free == 0 {
		t.Errorf("free space %d, %v", free, err)
	}
}

// TestAllowedTools tests that the line for an agent lists the tools that agent.yaml
// allows but the level of autonomy withholds in live turns.
func TestAllowedTools(t *testing.T) {
	level := func(l autonomy.Level, err error) Probes {
		return Probes{Level: func(context.Context, string) (autonomy.Level, error) { return l, err }}
	}
	const may = "; tools that may keep or share text beyond a turn: memory_add, share"
	a := &workspace.Agent{ID: "clerk", Allow: []string{"memory_add", "share"}}
	for name, c := range map[string]struct {
		p    Probes
		a    *workspace.Agent
		want string
	}{
		"nothing":    {level(1, nil), &workspace.Agent{}, ""},
		"the lowest": {level(1, nil), a, may + "; at autonomy level 1 its live turns cannot call memory_add, share (allowed from level 2)"},
		"enough":     {level(2, nil), a, may + " (also in live turns, at autonomy level 2)"},
		"unknown":    {level(0, errors.New("locked")), a, may},
	} {
		if got := allows(t.Context(), c.p, c.a); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
