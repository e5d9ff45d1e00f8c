//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// patched returns a small workspace with a patch target whose tests take an hour.
func patched(t *testing.T) (p place, inside, outside string) {
	t.Helper()
	for _, program := range []string{"git", "go"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
	p = tiny(t)
	repo, files := t.TempDir(), t.TempDir()
	inside, outside = filepath.Join(files, "inside.diff"), filepath.Join(files, "outside.diff")
	for path, text := range map[string]string{
		filepath.Join(repo, "go.mod"):               "module example.org/tiny\n\ngo 1.21\n",
		filepath.Join(repo, "slow", "slow.go"):      "package slow\n\n// One is one.\nfunc One() int { return 1 }\n",
		filepath.Join(repo, "slow", "slow_test.go"): "package slow\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n\nfunc TestOne(t *testing.T) {\n\ttime.Sleep(time.Hour)\n\tif One() != 1 {\n\t\tt.Fail()\n\t}\n}\n",
		inside:  "--- a/slow/slow.go\n+++ b/slow/slow.go\n@@ -3,2 +3,2 @@\n // One is one.\n-func One() int { return 1 }\n+func One() int { return 2 - 1 }\n",
		outside: "--- a/go.mod\n+++ b/go.mod\n@@ -1,3 +1,3 @@\n module example.org/tiny\n \n-go 1.21\n+go 1.22\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "--all"}, {"-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "--message=start"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = repo, p.env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	settings, err := os.OpenFile(filepath.Join(p.root, "evolve.yaml"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := settings.WriteString("\npatches: {targets: [{name: slow, repo: " + repo + ", allow: [slow]}]}\n"); err != nil {
		t.Fatal(err)
	}
	if err := settings.Close(); err != nil {
		t.Fatal(err)
	}
	return p, inside, outside
}

// gating proposes a patch and waits until its gates run.
func (p place) gating(diff string) *process {
	p.t.Helper()
	pr := p.start("patch", "propose", "--by", "Robin <robin@example.org>", diff)
	if !pr.until(func() bool { return len(p.trees("*", "candidate")) > 0 }) {
		p.t.Fatalf("the gates never ran: %+v", pr.wait())
	}
	return pr
}

// trees lists the folders of the patches whose gates are running.
func (p place) trees(parts ...string) []string {
	found, _ := filepath.Glob(filepath.Join(append([]string{p.root, ".evolve", "patches", "trees"}, parts...)...))
	return found
}

// TestGatesAreStopped checks that gates do not block a nightly run. An interrupt must end
// the gates at once and leave only the proposal, and the next patch must remove what a
// killed process left behind.
func TestGatesAreStopped(t *testing.T) {
	t.Parallel()
	p, inside, outside := patched(t)
	pr := p.gating(inside)
	p.do(0, p.night()...) // the run is not refused, and does not touch patches at their gates
	if pr.over() {
		t.Fatalf("the gates ended: %+v", pr.wait())
	}
	pr.signal(syscall.SIGTERM)
	if r := pr.wait(); r.code != 130 || !strings.Contains(r.stderr, "the gates of P1 were stopped") || !strings.Contains(r.stderr, "repeat the command to try P1 again") {
		t.Errorf("%+v", r)
	}
	if left := p.trees("*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if r := p.do(0, "patch", "show", "P1", "--json"); !strings.Contains(r.stdout, `"state": "drafted"`) {
		t.Errorf("after the interrupt: %s", r.stdout)
	}
	p.gating(inside).kill() // the same command has resumed it
	if left := p.trees("*"); len(left) != 1 {
		t.Errorf("a power cut has left %v", left)
	}
	if r := p.do(0, "patch", "show", "P1", "--json"); !strings.Contains(r.stdout, `"interrupted": 1`) || !strings.Contains(r.stdout, `"state": "drafted"`) {
		t.Errorf("after the power cut: %s", r.stdout)
	}
	p.do(0, "reject", "P1", "--reason", "enough", "--by", "Robin", "--yes")
	p.do(4, "patch", "propose", "--by", "Robin", outside)
	if left := p.trees("*"); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
	p.do(0, "audit", "verify")
}
