package patch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// next makes a commit on top of a branch and returns the Move that advances the branch to
// that commit.
func (b *fixture) next(branch string) Move {
	b.t.Helper()
	old := b.git("rev-parse", branch)
	commit, err := b.repo.Commit(old, change(), "m\n", someone)
	if err != nil {
		b.t.Fatal(err)
	}
	return Move{Ref: "refs/heads/" + branch, Old: old, New: commit, By: someone, Reason: "evolve: adopt P1"}
}

func TestAdvanceABranchThatIsCheckedOutNowhere(t *testing.T) {
	for _, packed := range []bool{false, true} {
		b := newFixture(t, start())
		b.git("branch", "side/line")
		if packed {
			b.git("pack-refs", "--all", "--prune")
		}
		before := b.git("status", "--porcelain") + b.git("rev-parse", "HEAD") + b.read(".git/index")
		m := b.next("side/line")
		if err := b.repo.Advance(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		if b.git("rev-parse", "side/line") != m.New {
			t.Error("the branch did not move")
		}
		if b.git("status", "--porcelain")+b.git("rev-parse", "HEAD")+b.read(".git/index") != before {
			t.Error("the working tree moved")
		}
		if got := b.git("reflog", "-1", "--format=%gs by %gn <%ge>", "side/line"); got != "evolve: adopt P1 by A Person <a@example.org>" {
			t.Errorf("its log has %q", got)
		}
		if err := b.repo.Advance(t.Context(), m); !errors.Is(err, ErrMoved) {
			t.Errorf("moved twice: %v", err)
		}
		m.Old = m.New
		if err := b.repo.Advance(t.Context(), m); err == nil {
			t.Error("a commit that is not on top was taken")
		}
	}
}

func TestAdvanceWhatIsCheckedOut(t *testing.T) {
	for _, c := range []struct {
		name string
		// prepare sets up the linked working tree, whose branch is "side".
		prepare func(b *fixture, linked *fixture)
		// why is the expected reason for a refusal. It is empty if the branch moves.
		why string
	}{
		{"clean", func(*fixture, *fixture) {}, ""},
		{"untracked", func(_, l *fixture) { l.write("notes.txt", "mine") }, ""},
		{"untracked in the way", func(_, l *fixture) { l.write("agents/a/STRATEGY.md", "mine") }, "git did not fast-forward the branch"},
		{"changed", func(_, l *fixture) { l.write("agents/a/config.yaml", "mine") }, "uncommitted changes (agents/a/config.yaml)"},
		{"staged", func(_, l *fixture) {
			l.write("agents/a/config.yaml", "mine")
			l.git("add", "agents/a/config.yaml")
		}, "uncommitted changes (agents/a/config.yaml)"},
		{"staged new", func(_, l *fixture) {
			l.write("agents/a/STRATEGY.md", "mine")
			l.git("add", "agents/a/STRATEGY.md")
		}, "uncommitted changes (agents/a/STRATEGY.md)"},
		{"index locked", func(b, _ *fixture) { b.write(".git/worktrees/linked/index.lock", "") }, "git did not fast-forward the branch"},
		{"merge", func(b, _ *fixture) { b.write(".git/worktrees/linked/MERGE_HEAD", "x\n") }, "a merge is in progress"},
		{"rebase", func(_, l *fixture) {
			l.write("README", "other")
			l.git("commit", "--quiet", "--all", "--message=other")
			l.git("checkout", "--quiet", "-b", "base", "HEAD~1")
			l.write("README", "conflict")
			l.git("commit", "--quiet", "--all", "--message=conflict")
			l.git("checkout", "--quiet", "side")
			_, _ = l.try("rebase", "base")
		}, "a rebase is in progress"},
		{"bisection", func(_, l *fixture) { l.git("bisect", "start"); l.git("checkout", "--quiet", "--detach") }, "a bisection is in progress"},
		{"gone", func(_, l *fixture) { _ = os.RemoveAll(l.dir) }, "does not exist"},
		{"twice", func(b, l *fixture) { b.git("worktree", "add", "--quiet", "--force", l.dir+"2", "side") }, "1 other working tree"},
		{"detached", func(_, l *fixture) { l.git("checkout", "--quiet", "--detach") }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newFixture(t, start())
			linked := &fixture{t: t, dir: filepath.Join(b.dir, "linked"), env: b.env}
			b.git("worktree", "add", "--quiet", "-b", "side", linked.dir)
			c.prepare(b, linked)
			m := b.next("side")
			err := b.repo.Advance(t.Context(), m)
			at := b.git("rev-parse", "side")
			if c.why == "" {
				if err != nil || at != m.New {
					t.Fatalf("at %s, %v", at, err)
				}
				if branch, _ := linked.try("symbolic-ref", "--quiet", "HEAD"); branch == m.Ref && linked.read("agents/a/config.yaml") != "x: 2\n" {
					t.Error("the branch moved and its working tree did not")
				}
				if s := linked.git("status", "--porcelain", "--untracked-files=no"); s != "" {
					t.Errorf("the working tree is left with %q", s)
				}
				return
			}
			var out *CheckedOutError
			if !errors.As(err, &out) || !strings.Contains(err.Error(), c.why) {
				t.Errorf("%v, want %q", err, c.why)
			}
			if at != m.Old {
				t.Error("the branch moved")
			}
			if out != nil && out.Folder == linked.dir && c.name != "twice" && out.Command != "git -C "+linked.dir+" merge --ff-only "+m.New {
				t.Errorf("the command is %q", out.Command)
			}
		})
	}
}

// TestAdvanceLeavesOtherChanges advances a branch in a working tree in which files that the
// commit does not change are modified, staged, added and removed. These files stay as they
// are.
func TestAdvanceLeavesOtherChanges(t *testing.T) {
	files := start()
	files["gone"], files["staged"] = "gone\n", "staged\n"
	b := newFixture(t, files)
	b.write("README", "mine")
	b.write("staged", "mine")
	b.write("new", "mine")
	b.git("add", "staged", "new")
	b.git("rm", "--quiet", "gone")
	before := b.git("status", "--porcelain")
	m := b.next("main")
	if err := b.repo.MovableBranch(t.Context(), m.Ref, m.Old, change()); err != nil {
		t.Fatal(err)
	}
	if err := b.repo.Advance(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if after := b.git("status", "--porcelain"); after != before || b.git("rev-parse", "main") != m.New {
		t.Errorf("at %s the working tree has\n%s\nand had\n%s", b.git("rev-parse", "main"), after, before)
	}
	if b.read("README") != "mine" || b.read("agents/a/config.yaml") != "x: 2\n" {
		t.Error("a change is lost, or the commit was not checked out")
	}
}

func TestAdvanceInABareRepository(t *testing.T) {
	origin := newFixture(t, start())
	b := &fixture{t: t, dir: filepath.Join(origin.dir, "bare.git"), env: origin.env}
	origin.git("clone", "--quiet", "--bare", origin.dir, b.dir)
	b.open(b.dir)
	m := b.next("main")
	if err := b.repo.Advance(t.Context(), m); err != nil || b.git("rev-parse", "main") != m.New {
		t.Errorf("%v", err)
	}
	if b.repo.Top() != "" {
		t.Error("a bare repository has a working tree")
	}
	if _, err := os.Stat(filepath.Join(b.dir, "logs")); err == nil {
		t.Error("a bare repository keeps no logs")
	}
	// A branch that a linked working tree of this repository has checked out advances
	// like any other.
	linked := filepath.Join(origin.dir, "linked")
	b.git("worktree", "add", "--quiet", linked, "main")
	b.open(linked)
	m = Move{Ref: "refs/heads/main", Old: m.New, By: someone}
	var err error
	if m.New, err = b.repo.Commit(m.Old, []File{{Path: "x", New: []byte("x")}}, "m\n", someone); err != nil {
		t.Fatal(err)
	}
	if err := b.repo.Advance(t.Context(), m); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(linked, "x")); err != nil {
		t.Error("the linked working tree was left behind")
	}
}

func TestAdvanceWithoutGit(t *testing.T) {
	b := newFixture(t, start())
	b.git("branch", "free")
	held, free := b.next("main"), b.next("free")
	b.git("worktree", "list")
	t.Setenv("PATH", t.TempDir())
	var out *CheckedOutError
	if err := b.repo.Advance(t.Context(), held); !errors.Is(err, ErrNoGit) || !errors.As(err, &out) || out.Command == "" {
		t.Errorf("%v, want the missing git and a command", err)
	}
	if err := b.repo.Advance(t.Context(), free); err != nil {
		t.Errorf("a branch that is checked out nowhere needs no git: %v", err)
	}
	if _, _, err := b.repo.Propose("P1", change(), "m\n", someone, always); err != nil {
		t.Errorf("a proposal needs no git: %v", err)
	}
}

func TestDetachedHead(t *testing.T) {
	b := newFixture(t, start())
	b.git("checkout", "--quiet", "--detach")
	if branch, commit, err := b.repo.Head(); branch != "" || commit != b.git("rev-parse", "HEAD") || err != nil {
		t.Errorf("%q at %q, %v", branch, commit, err)
	}
	b.proposes(change())
}

func TestShellWords(t *testing.T) {
	for in, want := range map[string]string{"/a/b-c_d.e": "/a/b-c_d.e", "/a b": "'/a b'", "/it's": `'/it'\''s'`, "/a;b": "'/a;b'"} {
		if got := shellWord(in); got != want {
			t.Errorf("%s is quoted as %s", in, got)
		}
	}
}
