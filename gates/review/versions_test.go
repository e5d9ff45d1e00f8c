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
	"evolve/runtime/agent"
)

// shelfTest is a repository with a linked worktree.
type shelfTest struct {
	*testing.T
	dir, linked string
	env         []string
}

func newShelfTest(t *testing.T) *shelfTest {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &shelfTest{
		T: t, dir: filepath.Join(home, "main"), linked: filepath.Join(home, "linked"),
		env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null"},
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s.git("init", "--quiet", "--initial-branch=main")
	if err := os.WriteFile(filepath.Join(s.dir, "a.go"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.git("add", "--all")
	s.git("commit", "--quiet", "--message=start")
	s.git("worktree", "add", "--quiet", "--detach", s.linked)
	return s
}

func (s *shelfTest) git(args ...string) string {
	s.Helper()
	cmd := exec.CommandContext(s.Context(), "git", append([]string{"-C", s.dir, "-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
	cmd.Env = s.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// refs lists the version refs.
func (s *shelfTest) refs() []string {
	s.Helper()
	return strings.Fields(s.git("for-each-ref", "--format=%(refname)", "refs/evolve/code"))
}

// shelf returns the shelf of an archive that has the versions with numbers up to most.
func (s *shelfTest) shelf(dir, archive string, most int, version func(int) Version) *Shelf {
	s.Helper()
	repo, err := patch.Open(dir, s.env)
	if err != nil {
		s.Fatal(err)
	}
	return &Shelf{
		Ground:  &Ground{Target: Target{Name: "packing"}, Commit: s.git("rev-parse", "HEAD"), repo: repo},
		Archive: archive,
		Find:    func(n int) (Version, bool, error) { return version(n), n <= most, nil },
	}
}

// versionOf returns a function that returns a version whose file holds the word and the
// version's number.
func versionOf(word string) func(int) Version {
	return func(n int) Version {
		return Version{
			Number: n, Variant: agent.Config{word: n}.ID(), Why: "grow: a → b\n\x1b[2J", Value: "excess 6 → 5 %",
			Files: []patch.File{{Path: "a.go", Old: []byte("one\n"), New: fmt.Appendf(nil, "%s %d\n", word, n)}},
		}
	}
}

// TestKeepVersions checks that versions become commits on the base with a ref each, both
// in a repository and in its linked worktree, that the newest versions are kept, and that
// nothing else changes.
func TestKeepVersions(t *testing.T) {
	s := newShelfTest(t)
	git, version := s.git, versionOf("one")
	const id = "00000000000000aa"
	name := func(n int) string { return versionRef("packing", id, n, version(n).Variant) }
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
	if err := s.shelf(s.dir, id, 50, version).Keep(t.Context(), first, now); err != nil {
		t.Fatal(err)
	}
	kept := git("rev-parse", name(7))
	// An old finalist stays beside the newest versions.
	if err := s.shelf(s.linked, id, 50, version).Keep(t.Context(), []Version{version(2), version(30), version(7)}, now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if again := git("rev-parse", name(7)); again != kept {
		t.Error("a version that is there was written again")
	}
	var want []string
	for _, n := range []int{2, 30, 7, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20} {
		want = append(want, name(n))
	}
	refs := strings.Fields(git("for-each-ref", "--format=%(refname)", "refs/evolve/code/packing/"+id))
	if len(refs) != MostVersions {
		t.Errorf("%d refs are kept", len(refs))
	}
	for _, ref := range want {
		if !strings.Contains(strings.Join(refs, " ")+" ", ref+" ") {
			t.Errorf("%s is gone", ref)
		}
	}
	git("rev-parse", "refs/evolve/code/packing/mine", "refs/evolve/code/other/v1")
	// A version whose proposal waits is kept, too, at its existing commit.
	spared := s.shelf(s.dir, id, 50, version)
	spared.Spared = []agent.ConfigID{version(3).Variant}
	was, newer := git("rev-parse", name(3)), []Version{}
	for n := 31; n < 31+MostVersions; n++ {
		newer = append(newer, version(n))
	}
	if err := spared.Keep(t.Context(), newer, now); err != nil {
		t.Fatal(err)
	}
	if now := git("rev-parse", name(3)); now != was {
		t.Errorf("the version whose proposal waits was at %s and is at %s", was, now)
	}
	if refs := strings.Fields(git("for-each-ref", "--format=%(refname)", "refs/evolve/code/packing/"+id)); len(refs) != MostVersions+1 {
		t.Errorf("%d refs are kept", len(refs))
	}
	if err := spared.Keep(t.Context(), []Version{version(30)}, now); err != nil {
		t.Fatal(err)
	}
	shown := git("show", name(30))
	for _, part := range []string{"evolve: v30 of packing", "grow: a → b", "excess 6 → 5 %", "-one", "+one 30"} {
		if !strings.Contains(shown, part) {
			t.Errorf("git show has no %q:\n%s", part, shown)
		}
	}
	if strings.Contains(shown, "\x1b") {
		t.Errorf("foreign text reaches the terminal: %q", shown)
	}
	if parent := git("rev-parse", name(30)+"^"); parent != git("rev-parse", "HEAD") {
		t.Errorf("the parent is %s", parent)
	}
	git("fsck", "--strict", "--no-dangling")
	if after := state(); after != before {
		t.Errorf("something else moved:\n%s\n%s", before, after)
	}
	g := s.shelf(s.dir, id, 50, version)
	if ref := g.VersionRef(id, 30, version(30).Variant); ref != "refs/evolve/code/packing/"+id+"/v30-"+version(30).Variant.Short() {
		t.Errorf("the ref of v30 is %q", ref)
	}
	for what, ref := range map[string]string{
		"v1, which is removed": g.VersionRef(id, 1, version(1).Variant), "another v30": g.VersionRef(id, 30, version(29).Variant),
		"that of another archive": g.VersionRef("00000000000000bb", 30, version(30).Variant), "one without an archive": g.VersionRef("", 30, version(30).Variant),
	} {
		if ref != "" {
			t.Errorf("%s has the ref %q", what, ref)
		}
	}
	git("update-ref", "refs/evolve/code/taken", "HEAD") // no other ref can be below this ref
	g.Target.Name = "taken"
	if err := g.Keep(t.Context(), []Version{version(1)}, now); err == nil || !strings.Contains(err.Error(), "storing v1: ") {
		t.Errorf("a ref that is in the way: %v", err)
	}
	if os.Getuid() == 0 {
		return // root writes to folders that are read-only
	}
	objects := filepath.Join(s.dir, ".git", "objects")
	for _, mode := range []os.FileMode{0o500, 0o700} {
		if err := os.Chmod(objects, mode); err != nil {
			t.Fatal(err)
		}
		if err := s.shelf(s.dir, id, 50, version).Keep(t.Context(), []Version{version(40)}, now); (err == nil) != (mode == 0o700) {
			t.Errorf("with mode %o: %v", mode, err)
		}
	}
}

// TestVersionsOfSeveralArchives checks that archives that share a repository keep their
// versions side by side, and that a copy of an archive does not touch versions that it does
// not have.
func TestVersionsOfSeveralArchives(t *testing.T) {
	s, now := newShelfTest(t), time.Unix(1_790_000_000, 0)
	keep := func(archive, word string, numbers ...int) {
		t.Helper()
		version := versionOf(word)
		var list []Version
		for _, n := range numbers {
			list = append(list, version(n))
		}
		if err := s.shelf(s.dir, archive, 100, version).Keep(t.Context(), list, now); err != nil {
			t.Fatal(err)
		}
	}
	all := func(from int) (out []int) {
		for n := from; n < from+MostVersions; n++ {
			out = append(out, n)
		}
		return out
	}
	const first, second = "00000000000000aa", "00000000000000bb"
	keep(first, "one", all(1)...)
	before := s.git("for-each-ref", "refs/evolve/code")
	keep(second, "two", all(1)...)
	keep(second, "two", all(40)...)
	keep(first, "copy", all(1)...) // a copy of the first, which continued separately
	keep(first, "copy", all(40)...)
	if after := s.git("for-each-ref", "refs/evolve/code"); len(s.refs()) != 3*MostVersions {
		t.Errorf("%d refs are kept:\n%s", len(s.refs()), after)
	} else {
		for line := range strings.Lines(before) {
			if !strings.Contains(after+"\n", strings.TrimSpace(line)+"\n") {
				t.Errorf("gone or moved: %s", line)
			}
		}
	}
}

// TestVersionRefsOfAnOlderEvolve checks refs that all workspaces shared. The archive that
// has the version of such a ref must rename the ref, and other refs must stay.
func TestVersionRefsOfAnOlderEvolve(t *testing.T) {
	s, version := newShelfTest(t), versionOf("one")
	const id = "00000000000000aa"
	shelf := s.shelf(s.dir, id, 9, version)
	for n := range 12 {
		v := version(n + 1)
		if n == 4 {
			v.Files[0].New = []byte("another workspace\n")
		}
		commit, err := shelf.repo.Commit(shelf.Commit, v.Files, "evolve: v of packing\n", robotAt(time.Unix(1_790_000_000, 0)))
		if err != nil {
			t.Fatal(err)
		}
		s.git("update-ref", fmt.Sprintf("refs/evolve/code/packing/v%d", n+1), commit)
	}
	s.git("update-ref", "refs/evolve/code/packing/v9", "HEAD")
	old := s.git("rev-parse", "refs/evolve/code/packing/v2")
	if err := shelf.Keep(t.Context(), []Version{version(7)}, time.Unix(1_790_000_000, 0)); err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, ref := range s.refs() {
		if name, own := strings.CutPrefix(ref, "refs/evolve/code/packing/"+id+"/"); own {
			ref = "own " + name[:strings.IndexByte(name, '-')]
		}
		left = append(left, strings.TrimPrefix(ref, "refs/evolve/code/packing/"))
	}
	if want := "own v1 own v2 own v3 own v4 own v6 own v7 own v8 v10 v11 v12 v5 v9"; strings.Join(left, " ") != want {
		t.Errorf("the refs are %v, want %s", left, want)
	}
	if now := s.git("rev-parse", versionRef("packing", id, 2, version(2).Variant)); now != old {
		t.Errorf("v2 is at %s, was at %s", now, old)
	}
}
