package review

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evolve/patch"
)

// TestKeepVersions: versions become commits on the base with a ref each, in a repository and
// in a linked worktree of it; the newest stay and nothing else moves.
func TestKeepVersions(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null"}
	dir := filepath.Join(home, "main")
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
		cmd.Env = env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	git("init", "--quiet", "--initial-branch=main")
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	git("add", "--all")
	git("commit", "--quiet", "--message=start")
	linked := filepath.Join(home, "linked")
	git("worktree", "add", "--quiet", "--detach", linked)
	ground := func(dir string) *Ground {
		t.Helper()
		repo, err := patch.Open(dir, env)
		if err != nil {
			t.Fatal(err)
		}
		return &Ground{Target: Target{Name: "packing"}, Commit: git("rev-parse", "HEAD"), repo: repo}
	}
	version := func(n int) Version {
		return Version{Number: n, Files: []patch.File{{Path: "a.go", Old: []byte("one\n"), New: fmt.Appendf(nil, "%d\n", n)}}, Why: "grow: a → b\n\x1b[2J", Value: "excess 6 → 5 %"}
	}
	state := func() string {
		return git("status", "--porcelain") + git("rev-parse", "HEAD") + git("symbolic-ref", "HEAD") + git("for-each-ref", "refs/heads") + git("ls-files", "--stage")
	}
	before := state()
	now := time.Unix(1_790_000_000, 0)
	git("update-ref", "refs/evolve/code/packing/mine", "HEAD")
	git("update-ref", "refs/evolve/code/other/v1", "HEAD")
	var first []Version
	for n := 1; n <= MostVersions; n++ {
		first = append(first, version(n))
	}
	if err := ground(dir).KeepVersions(t.Context(), first, now); err != nil {
		t.Fatal(err)
	}
	kept := git("rev-parse", "refs/evolve/code/packing/v7")
	// A finalist that is old stays beside the newest.
	if err := ground(linked).KeepVersions(t.Context(), []Version{version(2), version(30), version(7)}, now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if again := git("rev-parse", "refs/evolve/code/packing/v7"); again != kept {
		t.Error("a version that is there was written again")
	}
	var want []string
	for _, n := range []int{2, 30, 7, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20} {
		want = append(want, fmt.Sprintf("refs/evolve/code/packing/v%d", n))
	}
	refs := strings.Fields(git("for-each-ref", "--format=%(refname)", "refs/evolve/code/packing/v*"))
	if len(refs) != MostVersions {
		t.Errorf("%d refs are kept", len(refs))
	}
	for _, ref := range want {
		if !strings.Contains(strings.Join(refs, " ")+" ", ref+" ") {
			t.Errorf("%s is gone", ref)
		}
	}
	git("rev-parse", "refs/evolve/code/packing/mine", "refs/evolve/code/other/v1")
	shown := git("show", "refs/evolve/code/packing/v30")
	for _, part := range []string{"evolve: v30 of packing", "grow: a → b", "excess 6 → 5 %", "-one", "+30"} {
		if !strings.Contains(shown, part) {
			t.Errorf("git show has no %q:\n%s", part, shown)
		}
	}
	if strings.Contains(shown, "\x1b") {
		t.Errorf("foreign text reaches the terminal: %q", shown)
	}
	if parent := git("rev-parse", "refs/evolve/code/packing/v30^"); parent != git("rev-parse", "HEAD") {
		t.Errorf("the parent is %s", parent)
	}
	git("fsck", "--strict", "--no-dangling")
	if after := state(); after != before {
		t.Errorf("something else moved:\n%s\n%s", before, after)
	}
	if ref := ground(dir).VersionRef(30); ref != "refs/evolve/code/packing/v30" {
		t.Errorf("the ref of v30 is %q", ref)
	}
	if ref := ground(dir).VersionRef(1); ref != "" {
		t.Errorf("v1 has the ref %q", ref)
	}
	git("update-ref", "refs/evolve/code/taken", "HEAD") // no ref can be below it
	g := ground(dir)
	g.Target.Name = "taken"
	if err := g.KeepVersions(t.Context(), []Version{version(1)}, now); err == nil || !strings.Contains(err.Error(), "keeping v1: ") {
		t.Errorf("a ref that is in the way: %v", err)
	}
	if os.Getuid() == 0 {
		return // root writes to folders that are read-only
	}
	objects := filepath.Join(dir, ".git", "objects")
	for _, mode := range []os.FileMode{0o500, 0o700} {
		if err := os.Chmod(objects, mode); err != nil {
			t.Fatal(err)
		}
		if err := ground(dir).KeepVersions(t.Context(), []Version{version(40)}, now); (err == nil) != (mode == 0o700) {
			t.Errorf("with mode %o: %v", mode, err)
		}
	}
}
