//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"evolve/cmd/evolve/internal/cli/clitest/fixture"
)

// scored returns a workspace whose night searches a marked block of code. The night ends
// with a proposed patch.
func scored(t *testing.T) place {
	t.Helper()
	p, repo := tiny(t), t.TempDir()
	p.repository(repo, map[string]string{
		"params": "# evolve:begin factor\nfactor=3\n# evolve:end\n",
		"check":  ". ./params\ntest \"$factor\" -gt -100 && test \"$factor\" -lt 100\n",
		"score": `. ./params
test $# -gt 0 || set -- $(seq -f c%02.0f 40)
d=$((factor > 7 ? factor - 7 : 7 - factor))
for c; do echo '{"case":"'$c'","metric":"distance","value":'$((d * (10 + 1${c#c} % 7)))',"better":"lower"}'; done
`,
	})
	p.settings("budget: {evaluations: 200}\nconfirm: {finalists: 1}\npatches: {targets: [{name: curve, repo: " + repo +
		", allow: [params], test: [sh, check], score: [sh, score]}]}\n")
	p.flags = []string{"--agent", "curve", "--seed", "7"}
	return p
}

// owned returns a workspace with an agent whose own code is searched together with its
// config.
func owned(t *testing.T) place {
	t.Helper()
	root := filepath.Join(t.TempDir(), "routed")
	if err := fixture.Workspace(root, "routed"); err != nil {
		t.Fatal(err)
	}
	p := newPlace(t, root)
	needs(t, "python3", "git")
	tasks := exec.Command("python3", "tasks.py", "0", "60")
	tasks.Dir, tasks.Env = root, p.env
	if out, err := tasks.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p.repository(filepath.Join(root, "agents", "solver"), nil)
	p.flags = []string{"--seed", "1", "--budget-evals", "400"}
	return p
}

// needs skips the test if any of the programs is not installed.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
}

// repository makes a git repository from the given files and those that are already there.
func (p place) repository(repo string, files map[string]string) {
	p.t.Helper()
	needs(p.t, "git", "go")
	for name, text := range files {
		full := filepath.Join(repo, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			p.t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "--all"}, {"-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "--message=start", "--date=2026-01-01T00:00:00Z"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = repo, append(p.env, "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z")
		if out, err := cmd.CombinedOutput(); err != nil {
			p.t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}

// settings writes evolve.yaml.
func (p place) settings(text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.root, "evolve.yaml"), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// TestCodeProposes checks that nights over code end with a patch, so that the tests that
// kill such nights do reach a proposal.
func TestCodeProposes(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) place{"code": scored, "own code": owned} {
		t.Run(name, func(t *testing.T) { proposes(open(t)) })
	}
}

func proposes(p place) {
	t := p.t
	p.do(0, p.night()...)
	v := p.mustLook()
	if len(v.proposals) != 1 {
		t.Fatalf("%d proposals", len(v.proposals))
	}
	for id, prop := range v.proposals {
		if prop.Patch == nil || prop.Patch.Origin != "blocks" {
			t.Errorf("proposal %s is %s", id, prop.Kind)
		}
	}
}
