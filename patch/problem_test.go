package patch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestProblemsAreNamed checks that fatal problems are refused by name, and that native git
// accepts what we write despite the other problems.
func TestProblemsAreNamed(t *testing.T) {
	for _, c := range []struct {
		name   string
		spoil  func(b *fixture)
		want   string // name of the problem
		fatal  bool
		native bool // native git of any version refuses it too
	}{
		{"healthy", func(*fixture) {}, "", false, false},
		{"version", func(b *fixture) { b.git("config", "core.repositoryformatversion", "2") }, "repositoryformatversion", true, true},
		{"extension", func(b *fixture) {
			b.git("config", "core.repositoryformatversion", "1")
			b.git("config", "extensions.future", "yes")
		}, "extensions.future", true, true},
		{"extension of version 1 in version 0", func(b *fixture) { b.git("config", "extensions.objectFormat", "sha256") }, "objectFormat", true, true},
		{"reftable", func(b *fixture) {
			b.git("config", "core.repositoryformatversion", "1")
			b.write(".git/config", b.read(".git/config")+"[extensions]\n\trefStorage = reftable\n")
		}, "reftable", true, false},
		{"worktreeConfig in version 0", func(b *fixture) { b.git("config", "extensions.worktreeConfig", "true") }, "worktreeConfig", false, false},
		{"worktreeConfig in version 1", func(b *fixture) {
			b.git("config", "core.repositoryformatversion", "1")
			b.git("config", "extensions.worktreeConfig", "true")
		}, "", false, false},
		{"precious objects", func(b *fixture) {
			b.git("config", "core.repositoryformatversion", "1")
			b.git("config", "extensions.preciousObjects", "true")
		}, "", false, false},
		{"partial clone", func(b *fixture) { b.git("config", "remote.origin.promisor", "true") }, "partialClone", false, false},
		{"working tree elsewhere", func(b *fixture) { b.git("config", "core.worktree", "/") }, "core.worktree", true, false},
		{"working tree elsewhere, of this tree", func(b *fixture) {
			b.git("config", "extensions.worktreeConfig", "true")
			b.write(".git/config.worktree", "[core]\n\tworktree = /\n")
		}, "core.worktree", true, false},
		{"settings", func(b *fixture) { b.write(".git/config", "[core\n") }, "config", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newFixture(t, start())
			c.spoil(b)
			problems := Problems(b.dir)
			at := slices.IndexFunc(problems, func(p Problem) bool { return p.Name == c.want })
			if (c.want == "") != (len(problems) == 0) || c.want != "" && (at < 0 || problems[at].Fatal != c.fatal || problems[at].Why == "" || problems[at].Hint == "") {
				t.Fatalf("%+v, want %q", problems, c.want)
			}
			_, native := b.try("status")
			if c.native && native == nil {
				t.Error("native git has no such problem")
			}
			repo, err := Open(b.dir, b.env)
			var unsupported *UnsupportedError
			if c.fatal {
				if !errors.As(err, &unsupported) || unsupported.Problem.Name != c.want || unsupported.Hint() == "" {
					t.Errorf("%v, want a refusal", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			b.repo = repo
			b.proposes(change())
		})
	}
}

func TestSHA256(t *testing.T) {
	b := newFixture(t, start())
	dir := filepath.Join(b.dir, "sha256")
	b.git("init", "--quiet", "--object-format=sha256", dir)
	_, err := Open(dir, b.env)
	var unsupported *UnsupportedError
	if !errors.As(err, &unsupported) || unsupported.Problem.Name != "objectFormat" || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("%v, want SHA-256 by name", err)
	}
}

func TestFoldersThatAreNoRepository(t *testing.T) {
	b := newFixture(t, start())
	if err := os.MkdirAll(filepath.Join(b.dir, "sub/.git"), 0o755); err != nil { // native git ignores an empty .git folder
		t.Fatal(err)
	}
	b.open(filepath.Join(b.dir, "sub"))
	if b.repo.Top() != b.dir {
		t.Errorf("found %s", b.repo.Top())
	}
	b.write("broken/.git", "nothing\n")
	for _, dir := range []string{"broken", ".git", "nowhere"} {
		if _, err := Open(filepath.Join(b.dir, dir), b.env); err == nil || errors.Is(err, ErrNoRepository) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if p := Problems(t.TempDir()); len(p) > 0 {
		t.Errorf("no repository has %v", p)
	}
}

// TestDamagedObjects checks that reading returns either the requested object or an error.
func TestDamagedObjects(t *testing.T) {
	b := newFixture(t, start())
	good, bad := b.blob("good").String(), b.blob("evil").String()
	path := func(h string) string { return filepath.Join(b.dir, ".git/objects", h[:2], h[2:]) }
	if err := os.Rename(path(bad), path(good)); err != nil {
		t.Fatal(err)
	}
	tree := b.gitIn("100644 blob "+good+"\tx\n", "mktree", "--missing")
	if data, err := b.repo.File(tree, "x"); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("read %q, %v", data, err)
	}
	cut := b.blob("cut").String()
	if err := os.Chmod(path(cut), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path(cut), 7); err != nil {
		t.Fatal(err)
	}
	if data, err := b.repo.File(b.gitIn("100644 blob "+cut+"\tx\n", "mktree", "--missing"), "x"); err == nil {
		t.Errorf("read %q", data)
	}
}

// TestPermissionsOfASharedRepository checks that the group can write what we create if it
// can write to the repository.
func TestPermissionsOfASharedRepository(t *testing.T) {
	b := newFixture(t, start())
	for _, dir := range []string{".git", ".git/objects", ".git/refs"} {
		if err := os.Chmod(filepath.Join(b.dir, dir), 0o775); err != nil {
			t.Fatal(err)
		}
	}
	_, commit, err := b.repo.Propose("P1", change(), "m\n", someone, always)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{
		".git/refs/evolve/proposals": 0o775, ".git/objects/" + commit[:2] + "/" + commit[2:]: 0o444,
	} {
		if info, err := os.Stat(filepath.Join(b.dir, path)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}
