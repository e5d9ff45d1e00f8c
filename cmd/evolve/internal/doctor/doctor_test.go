package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	rtext "evolve/runtime/text"

	"github.com/google/go-cmp/cmp"

	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/batch/coding"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/constants"
	"evolve/mutate/night/limits"
	"evolve/runtime/autonomy"
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
