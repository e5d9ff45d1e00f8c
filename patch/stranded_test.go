package patch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestAFailedForwardIsTakenBack checks that the files and the index are restored if the
// branch is locked, because git writes them before it locks the branch.
func TestAFailedForwardIsTakenBack(t *testing.T) {
	files := []File{
		{Path: "agents/a/config.yaml", Old: []byte("x: 1\n"), New: []byte("x: 2\n")},
		{Path: "agents/a/gone.txt", Old: []byte("g\n")},
		{Path: "agents/b/new.txt", New: []byte("new\n")},
	}
	for name, lock := range map[string]string{"branch": "refs/heads/main.lock", "HEAD": "HEAD.lock", "index": "index.lock"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t, map[string]string{"agents/a/config.yaml": "x: 1\n", "agents/a/gone.txt": "g\n", "README": "r\n"})
			b.write("README", "mine\n")
			b.write("beside.txt", "mine\n")
			commit, err := b.repo.Commit(b.git("rev-parse", "HEAD"), files, "m\n", someone)
			if err != nil {
				t.Fatal(err)
			}
			before := b.git("status", "--porcelain", "--untracked-files=all")
			b.write(".git/"+lock, "")
			var locked *LockedError
			var stranded *StrandedError
			if err := b.repo.Forward(t.Context(), commit); !errors.As(err, &locked) || errors.As(err, &stranded) {
				t.Fatal(err)
			}
			if err := os.Remove(filepath.Join(b.dir, ".git", lock)); err != nil {
				t.Fatal(err)
			}
			if after := b.git("status", "--porcelain", "--untracked-files=all"); after != before {
				t.Errorf("git shows %q, before %q", after, before)
			}
			if got := b.read("agents/a/config.yaml") + b.read("agents/a/gone.txt") + b.read("README"); got != "x: 1\ng\nmine\n" {
				t.Errorf("the working tree has %q", got)
			}
			if _, err := os.Stat(filepath.Join(b.dir, "agents/b")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the new folder is there: %v", err)
			}
			if err := b.repo.Forward(t.Context(), commit); err != nil || b.read("agents/b/new.txt") != "new\n" {
				t.Error(err)
			}
		})
	}
}

// TestAFailedForwardNamesWhatItLeaves checks that files that were in the working tree
// before a failed fast-forward are not restored. They are named instead, with the command
// that restores them.
func TestAFailedForwardNamesWhatItLeaves(t *testing.T) {
	b := newFixture(t, map[string]string{"it's.txt": "one\n", "a.txt": "one\n"})
	files := []File{{Path: "a.txt", Old: []byte("one\n"), New: []byte("two\n")}, {Path: "it's.txt", Old: []byte("one\n"), New: []byte("two\n")}}
	commit, err := b.repo.Commit(b.git("rev-parse", "HEAD"), files, "m\n", someone)
	if err != nil {
		t.Fatal(err)
	}
	b.write("it's.txt", "two\n")
	b.git("add", "it's.txt")
	b.write(".git/refs/heads/main.lock", "")
	var stranded *StrandedError
	err = b.repo.Forward(t.Context(), commit)
	if !errors.As(err, &stranded) || !errors.As(err, new(*LockedError)) || !slices.Equal(stranded.Paths, []string{"it's.txt"}) ||
		!strings.Contains(err.Error(), `restore --source=HEAD --staged --worktree -- 'it'\''s.txt'`) {
		t.Fatal(err)
	}
	if got := b.read("a.txt") + b.read("it's.txt"); got != "one\ntwo\n" {
		t.Errorf("the working tree has %q", got)
	}
}
