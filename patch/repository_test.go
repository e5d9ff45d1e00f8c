package patch

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var someone = Person{Name: "A Person", Email: "a@example.org", When: time.Unix(1_790_000_000, 0).UTC()}

// fixture is a real repository for tests, with native git to check it.
type fixture struct {
	t    testing.TB
	dir  string
	env  []string
	repo *Repository
}

func newFixture(t testing.TB, files map[string]string) *fixture {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &fixture{t: t, dir: dir, env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org",
	}}
	b.git("init", "--quiet", "--initial-branch=main")
	for name, text := range files {
		b.write(name, text)
	}
	b.git("add", "--all")
	b.git("commit", "--quiet", "--allow-empty", "--message=start")
	b.open(dir)
	return b
}

func (b *fixture) open(dir string) {
	b.t.Helper()
	repo, err := Open(dir, b.env)
	if err != nil {
		b.t.Fatal(err)
	}
	b.repo = repo
}

func (b *fixture) git(args ...string) string {
	b.t.Helper()
	return b.gitIn("", args...)
}

func (b *fixture) gitIn(stdin string, args ...string) string {
	b.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = b.dir, b.env, strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (b *fixture) write(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *fixture) read(name string) string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

// state returns everything that a proposal must not change.
func (b *fixture) state() string {
	index, err := os.ReadFile(filepath.Join(b.dir, ".git", "index"))
	if err != nil {
		b.t.Fatal(err)
	}
	return b.git("rev-parse", "HEAD") + b.git("symbolic-ref", "HEAD") + b.git("status", "--porcelain") + b.git("branch", "--list") + string(index)
}

// Adopt commits files on top of the checked-out commit and updates the branch, the index
// and the working tree by a native fast-forward, which refuses to overwrite uncommitted
// work. It returns the new commit. A *ConflictError names files whose committed content is
// not what the change expects.
func (r *Repository) Adopt(ctx context.Context, files []File, message string, by Person) (string, error) {
	_, head, err := r.Head()
	if err != nil {
		return "", err
	}
	if err := r.movable(ctx, r.dir, head, files); err != nil {
		return "", err
	}
	commit, err := r.Commit(head, files, message, by)
	if err != nil {
		return "", err
	}
	if err := r.Forward(ctx, commit); err != nil {
		return "", err
	}
	return commit, r.Landed(ctx, "", commit, "", files)
}

func start() map[string]string {
	return map[string]string{"agents/a/config.yaml": "x: 1\n", "agents/b.yaml": "b\n", "agents.md": "m\n", "README": "r\n"}
}

func change() []File {
	return []File{
		{Path: "agents/a/config.yaml", Old: []byte("x: 1\n"), New: []byte("x: 2\n")},
		{Path: "agents/a/STRATEGY.md", New: []byte("be brief\n")},
	}
}

// always returns true, so the ref of a proposal counts as its own, whichever commit the
// ref points to.
func always(string) bool { return true }

func TestProposeTouchesOnlyItsRef(t *testing.T) {
	b := newFixture(t, start())
	b.write("README", "being edited\n")
	before := b.state()
	ref, commit, err := b.repo.Propose("P7", change(), "evolve: propose\n\nEvolve-Proposal: P7\n", someone, always)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, b.state()); diff != "" {
		t.Errorf("something else moved:\n%s", diff)
	}
	if ref != "refs/evolve/proposals/P7" || b.git("rev-parse", ref) != commit {
		t.Errorf("ref %s is at %s, not %s", ref, b.git("rev-parse", ref), commit)
	}
	b.git("fsck", "--strict", "--no-dangling")
	want := "M\tagents/a/config.yaml\nA\tagents/a/STRATEGY.md"
	got := b.git("diff-tree", "-r", "--name-status", "--no-commit-id", commit)
	if got != "A\tagents/a/STRATEGY.md\nM\tagents/a/config.yaml" {
		t.Errorf("the commit changes\n%s\nwant\n%s", got, want)
	}
	if who := b.git("log", "-1", "--format=%an <%ae> %at", commit); who != "A Person <a@example.org> 1790000000" {
		t.Errorf("author %s", who)
	}
}

func TestAdoptAndTakeBack(t *testing.T) {
	for _, sub := range []string{"", "work/space"} {
		t.Run("in "+sub, func(t *testing.T) {
			files := map[string]string{"outside": "o\n"}
			for name, text := range start() {
				files[filepath.Join(sub, name)] = text
			}
			b := newFixture(t, files)
			b.open(filepath.Join(b.dir, sub))
			tree := b.git("rev-parse", "HEAD^{tree}")
			commit, err := b.repo.Adopt(t.Context(), change(), "evolve: adopt\n", someone)
			if err != nil {
				t.Fatal(err)
			}
			if b.git("rev-parse", "main") != commit || b.git("status", "--porcelain") != "" {
				t.Errorf("main %s, status %q", b.git("rev-parse", "main"), b.git("status", "--porcelain"))
			}
			if got := b.read(filepath.Join(sub, "agents/a/config.yaml")); got != "x: 2\n" {
				t.Errorf("the working tree has %q", got)
			}
			if _, err := b.repo.Adopt(t.Context(), Reverse(change()), "evolve: roll back\n", someone); err != nil {
				t.Fatal(err)
			}
			if got := b.git("rev-parse", "HEAD^{tree}"); got != tree {
				t.Errorf("the tree after the rollback is %s, not %s", got, tree)
			}
			if n := b.git("rev-list", "--count", "HEAD"); n != "3" {
				t.Errorf("%s commits, want 3: history is kept", n)
			}
		})
	}
}

func TestAdoptRefusesUncommittedWork(t *testing.T) {
	b := newFixture(t, start())
	b.write("agents/a/config.yaml", "x: 9\n")
	dirty, err := b.repo.Dirty(t.Context(), []string{"agents/a/config.yaml", "agents/a/STRATEGY.md"})
	if err != nil || !cmp.Equal(dirty, []string{"agents/a/config.yaml"}) {
		t.Errorf("dirty %v, %v", dirty, err)
	}
	head := b.git("rev-parse", "HEAD")
	if _, err := b.repo.Adopt(t.Context(), change(), "m\n", someone); err == nil {
		t.Error("uncommitted work was overwritten")
	}
	if b.read("agents/a/config.yaml") != "x: 9\n" || b.git("rev-parse", "HEAD") != head {
		t.Error("something moved all the same")
	}
}

func TestConflictNamesTheFiles(t *testing.T) {
	b := newFixture(t, start())
	files := change()
	files[0].Old = []byte("x: 0\n")
	_, _, err := b.repo.Propose("P1", files, "m\n", someone, always)
	var conflict *ConflictError
	if !errors.As(err, &conflict) || !cmp.Equal(conflict.Paths, []string{"agents/a/config.yaml"}) {
		t.Errorf("%v, want a conflict in agents/a/config.yaml", err)
	}
	if ref, err := b.repo.Ref(ProposalRef("P1")); ref != "" || err != nil {
		t.Errorf("a ref was made: %q, %v", ref, err)
	}
}

func TestRehearseRestoresTheTree(t *testing.T) {
	b := newFixture(t, start())
	head := b.git("rev-parse", "HEAD")
	if err := b.repo.Rehearse(head, change()); err != nil {
		t.Error(err)
	}
	removal := []File{{Path: "agents/a/config.yaml", Old: []byte("x: 1\n")}} // its folder becomes empty
	if err := b.repo.Rehearse(head, removal); err != nil {
		t.Error(err)
	}
	b.git("fsck", "--strict", "--no-dangling")
}

func TestPathsThatMustNeverBecomeEntries(t *testing.T) {
	b := newFixture(t, start())
	for _, path := range []string{"../x", "/etc/passwd", ".git/hooks/post-commit", "a/.GIT/config", "a//../../b", "a\\b", "a\nb"} {
		if _, _, err := b.repo.Propose("P1", []File{{Path: path, New: []byte("x")}}, "m\n", someone, always); err == nil {
			t.Errorf("%q became an entry", path)
		}
	}
	for _, id := range []string{"", "P", "P1/../../heads/main", "p1", "P1.lock", "-P1"} {
		if _, _, err := b.repo.Propose(id, change(), "m\n", someone, always); err == nil {
			t.Errorf("%q is no id", id)
		}
	}
}

func TestLinkedWorktreeAndPackedRefs(t *testing.T) {
	b := newFixture(t, start())
	if _, _, err := b.repo.Propose("P1", change(), "m\n", someone, always); err != nil {
		t.Fatal(err)
	}
	b.git("pack-refs", "--all")
	b.git("gc", "--quiet", "--prune=now")
	packed, err := b.repo.Ref(ProposalRef("P1"))
	if err != nil || packed != b.git("rev-parse", ProposalRef("P1")) {
		t.Fatalf("the packed ref reads %q, %v", packed, err)
	}
	linked := filepath.Join(t.TempDir(), "linked")
	b.git("worktree", "add", "--quiet", "-b", "side", linked)
	b.open(linked)
	if branch, _, err := b.repo.Head(); branch != "refs/heads/side" || err != nil {
		t.Errorf("the linked worktree is on %q, %v", branch, err)
	}
	_, commit, err := b.repo.Propose("P1", change(), "again\n", someone, always) // moves the packed ref
	if err != nil {
		t.Fatal(err)
	}
	if got := b.git("rev-parse", ProposalRef("P1")); got != commit {
		t.Errorf("native git reads %s, want %s", got, commit)
	}
	if _, err := b.repo.Adopt(t.Context(), change(), "m\n", someone); err != nil {
		t.Fatal(err)
	}
	if b.git("rev-list", "--count", "main") != "1" || b.git("rev-list", "--count", "side") != "2" {
		t.Error("the branch of the other worktree moved")
	}
	b.git("fsck", "--strict", "--no-dangling")
}

func TestMoveRefHonoursLocksAndOldValues(t *testing.T) {
	b := newFixture(t, start())
	head := b.git("rev-parse", "HEAD")
	name := ProposalRef("P3")
	if err := b.repo.MoveRef(name, head, head); !errors.Is(err, ErrMoved) {
		t.Errorf("an absent ref was moved from a value it does not have: %v", err)
	}
	if _, err := os.Stat(filepath.Join(b.dir, ".git", name)); !errors.Is(err, os.ErrNotExist) {
		t.Error("the refusal left a ref behind")
	}
	if err := b.repo.MoveRef(name, "", head); err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(b.dir, ".git", name+".lock")
	if err := os.WriteFile(lock, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var waited []time.Duration
	b.repo.pause = func(d time.Duration) { waited = append(waited, d) }
	var locked *LockedError
	if err := b.repo.MoveRef(name, head, head); !errors.As(err, &locked) || locked.Lock != lock || !strings.Contains(locked.Hint(), lock) {
		t.Errorf("a locked ref was moved: %v", err)
	}
	if !slices.Equal(waited, lockWaits[:]) {
		t.Errorf("waited %v", waited)
	}
	if _, err := os.Stat(lock); err != nil {
		t.Error("the lock of another process was removed")
	}
	b.repo.pause = func(time.Duration) { _ = os.Remove(lock) }
	if err := b.repo.MoveRef(name, head, head); err != nil {
		t.Errorf("the lock went away, but %v", err)
	}
}

func TestStartMakesARepository(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	if _, err := Open(dir, nil); !errors.Is(err, ErrNoRepository) {
		t.Fatalf("%v, want ErrNoRepository", err)
	}
	for name, text := range map[string]string{"a.yaml": "x: 1\n", ".gitignore": ".evolve/\n", ".evolve/secret": "s", ".env": "KEY=1\n", "sub/dump.csv": "name\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"PATH=" + os.Getenv("PATH")} // as under cron, without HOME
	repo, err := Start(t.Context(), dir, env, []string{"a.yaml", ".gitignore", ".evolve/secret"}, "start\n", someone)
	if err != nil {
		t.Fatal(err)
	}
	commit, err := repo.Adopt(t.Context(), []File{{Path: "a.yaml", Old: []byte("x: 1\n"), New: []byte("x: 2\n")}}, "adopt\n", someone)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := repo.native(t.Context(), dir, "ls-tree", "-r", "--name-only", commit)
	if err != nil || tree != ".gitignore\na.yaml\n" {
		t.Errorf("the commit holds %q, %v", tree, err)
	}
}
