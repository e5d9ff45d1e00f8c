package patch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUncommitted checks that tracked files that differ from the commit are listed.
// Filters, line ending conversions and index flags do not cause a wrong answer, no filter
// runs, and the index stays unchanged.
func TestUncommitted(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(*fixture)
		named []string
		want  string
	}{
		"nothing":            {func(*fixture) {}, []string{"agents.md"}, ""},
		"touched":            {func(b *fixture) { b.write("README", "r\n"); b.write("agents.md", "m\n") }, nil, ""},
		"changed":            {func(b *fixture) { b.write("README", "new\n") }, nil, "README"},
		"changed and named":  {func(b *fixture) { b.write("README", "new\n") }, []string{"README", "agents.md"}, "README"},
		"staged":             {func(b *fixture) { b.write("README", "new\n"); b.git("add", "--all") }, nil, "README"},
		"removed":            {func(b *fixture) { _ = os.Remove(filepath.Join(b.dir, "README")) }, nil, "README"},
		"removed and named":  {func(b *fixture) { _ = os.Remove(filepath.Join(b.dir, "README")) }, []string{"README"}, "README"},
		"never added":        {func(b *fixture) { b.write("other", "new\n") }, nil, ""},
		"added, not in HEAD": {func(b *fixture) { b.write("other", "new\n"); b.git("add", "--all") }, nil, "other"},
		"mode":               {func(b *fixture) { _ = os.Chmod(filepath.Join(b.dir, "README"), 0o755) }, nil, "README"},
		"in a folder, odd":   {func(b *fixture) { b.write("agents/b.yaml", "x\n"); b.write("agents/a/config.yaml", "y\n") }, nil, "agents/a/config.yaml agents/b.yaml"},
		"a link": {func(b *fixture) {
			_ = os.Remove(filepath.Join(b.dir, "README"))
			_ = os.Symlink("agents.md", filepath.Join(b.dir, "README"))
		}, []string{"README"}, "README"},
		"assumed to be unchanged": {func(b *fixture) {
			b.git("update-index", "--assume-unchanged", "README", "agents.md")
			b.write("README", "new\n")
			b.write("agents.md", "new\n")
		}, []string{"README"}, "README"},
		"autocrlf": {func(b *fixture) {
			b.git("config", "core.autocrlf", "true")
			b.write("README", "r\r\n")
			b.write("agents.md", "m\r\n")
		}, []string{"README"}, ""},
		"autocrlf, changed": {func(b *fixture) {
			b.git("config", "core.autocrlf", "true")
			b.write("README", "r\r\nmore\r\n")
		}, []string{"README"}, "README"},
		"autocrlf=input": {func(b *fixture) {
			b.git("config", "core.autocrlf", "input")
			b.write("README", "r\r\n")
		}, []string{"README"}, ""},
		"line endings that nothing converts": {func(b *fixture) { b.write("README", "r\r\n") }, []string{"README"}, ""},
		"a filter": {func(b *fixture) {
			b.git("config", "filter.lfs.clean", "touch "+filepath.Join(b.dir, "ran")+"; sed s/^smudged//")
			b.git("config", "filter.lfs.smudge", "touch "+filepath.Join(b.dir, "ran")+"; sed s/^/smudged/")
			b.write(".git/info/attributes", "README filter=lfs\n")
			b.write("README", "smudgedr\n")
			b.write("agents.md", "new\n")
		}, []string{"README", "agents.md"}, "agents.md"},
		"an id": {func(b *fixture) {
			b.write("README", "$Id$\n")
			b.write(".gitattributes", "README ident\n")
			b.git("add", "--all")
			b.git("commit", "--quiet", "--message=id")
			_ = os.Remove(filepath.Join(b.dir, "README"))
			b.git("checkout", "--", "README")
			if !strings.Contains(b.read("README"), "$Id: ") {
				b.t.Error("git expands no $Id$")
			}
		}, []string{"README"}, ""},
		"a sparse checkout": {func(b *fixture) {
			b.git("sparse-checkout", "set", "--no-cone", "/agents/")
			if _, err := os.Stat(filepath.Join(b.dir, "README")); err == nil {
				b.t.Error("README is checked out")
			}
		}, []string{"README"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, start())
			b.open(b.dir)
			c.do(b)
			b.open(b.dir)
			index := b.read(".git/index")
			got, err := b.repo.Uncommitted(t.Context(), b.git("rev-parse", "HEAD"), c.named...)
			if err != nil || strings.Join(got, " ") != c.want {
				t.Errorf("%v, %v, want %s", got, err, c.want)
			}
			if b.read(".git/index") != index {
				t.Error("the index was written")
			}
			if _, err := os.Stat(filepath.Join(b.dir, "ran")); err == nil {
				t.Error("a filter ran")
			}
		})
	}
}

// TestUncommittedWithoutGit checks that the named files are compared even if git is not
// installed.
func TestUncommittedWithoutGit(t *testing.T) {
	b := newFixture(t, start())
	head := b.git("rev-parse", "HEAD")
	b.write("README", "new\n")
	b.write("agents.md", "m\r\n")
	t.Setenv("PATH", t.TempDir())
	got, err := b.repo.Uncommitted(t.Context(), head, "README", "agents.md", "agents/b.yaml")
	if err != nil || strings.Join(got, " ") != "README" {
		t.Errorf("%v, %v", got, err)
	}
}

// TestAsCommitted checks that the result depends on the content but not on its line
// endings.
func TestAsCommitted(t *testing.T) {
	b := newFixture(t, start())
	head := b.git("rev-parse", "HEAD")
	b.write("README", "r\r\n")
	b.write("agents.md", "other\n")
	b.write("new", "n\n")
	if err := os.Remove(filepath.Join(b.dir, "agents/b.yaml")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{"README": true, "agents.md": false, "new": false, "agents/b.yaml": false, "agents/a/config.yaml": true, "none": true} {
		if got, err := b.repo.AsCommitted(head, path); err != nil || got != want {
			t.Errorf("%s: %v, %v", path, got, err)
		}
	}
}
