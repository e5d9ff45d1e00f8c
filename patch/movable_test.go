package patch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMovable checks that changes that git would refuse, or would write with content that
// differs from the commit, are refused before anything moves.
func TestMovable(t *testing.T) {
	files := []File{
		{Path: "agents/a/config.yaml", Old: []byte("x: 1\n"), New: []byte("x: 2\n")},
		{Path: "agents/a/new.txt", New: []byte("new\n")},
	}
	for name, c := range map[string]struct {
		prepare func(*fixture)
		why     string // empty: it moves
	}{
		"clean": {func(*fixture) {}, ""},
		"a filter on a file of it": {func(b *fixture) {
			b.git("config", "filter.twist.smudge", "sed s/2/9/")
			b.write(".git/info/attributes", "*.yaml filter=twist\n")
		}, "agents/a/config.yaml (filter=twist)"},
		"a process filter": {func(b *fixture) {
			b.git("config", "filter.twist.process", "touch "+filepath.Join(b.dir, "ran"))
			b.write(".git/info/attributes", "new.txt filter=twist\n")
		}, "agents/a/new.txt (filter=twist)"},
		"a filter of an included file": {func(b *fixture) {
			b.write(".git/more", "[filter \"twist\"]\n\tsmudge = sed s/2/9/\n")
			b.git("config", "include.path", "more")
			b.write(".git/info/attributes", "* filter=twist\n")
		}, "filter=twist"},
		"ident":                      {func(b *fixture) { b.write(".git/info/attributes", "*.txt ident\n") }, "agents/a/new.txt (ident=set)"},
		"encoding":                   {func(b *fixture) { b.write(".git/info/attributes", "*.txt working-tree-encoding=UTF-16\n") }, "working-tree-encoding=UTF-16"},
		"a filter without a command": {func(b *fixture) { b.write(".git/info/attributes", "* filter=absent\n") }, ""},
		"a filter on other files": {func(b *fixture) {
			b.git("config", "filter.lfs.smudge", "touch "+filepath.Join(b.dir, "ran")+"; cat")
			b.git("config", "filter.lfs.clean", "touch "+filepath.Join(b.dir, "ran")+"; cat")
			b.git("config", "filter.lfs.required", "true")
			b.write(".git/info/attributes", "README filter=lfs\n")
			now := someone.When
			if err := os.Chtimes(filepath.Join(b.dir, "README"), now, now); err != nil {
				b.t.Fatal(err)
			}
		}, ""},
		"ends of lines":       {func(b *fixture) { b.git("config", "core.autocrlf", "true") }, ""},
		"an untracked file":   {func(b *fixture) { b.write("agents/a/new.txt", "mine") }, "not committed: agents/a/new.txt"},
		"an ignored file":     {func(b *fixture) { b.write(".git/info/exclude", "new.txt\n"); b.write("agents/a/new.txt", "mine") }, "not committed: agents/a/new.txt"},
		"a folder in the way": {func(b *fixture) { b.write("agents/a/new.txt/mine", "mine") }, "agents/a/new.txt is not a regular file in the working tree"},
		"a link in the way": {func(b *fixture) {
			if err := os.Symlink("/etc/hostname", filepath.Join(b.dir, "agents/a/new.txt")); err != nil {
				b.t.Fatal(err)
			}
		}, "agents/a/new.txt is not a regular file in the working tree"},
		"a change that git takes for none": {func(b *fixture) {
			b.git("update-index", "--assume-unchanged", "agents/a/config.yaml")
			b.write("agents/a/config.yaml", "x: mine\n")
		}, "not committed: agents/a/config.yaml"},
		"staged": {func(b *fixture) {
			b.write("agents/a/config.yaml", "x: 7\n")
			b.git("add", "--all")
			b.write("agents/a/config.yaml", "x: 1\n")
		}, "git would refuse to update the working tree"},
		"staged beside": {func(b *fixture) { b.write("README", "mine"); b.git("add", "README") }, ""},
		"unmerged": {func(b *fixture) {
			blob := b.gitIn("one", "hash-object", "-w", "--stdin")
			b.gitIn("100644 "+blob+" 1\tREADME\n100644 "+blob+" 2\tREADME\n", "update-index", "--index-info")
		}, "git would refuse to update the working tree"},
		"a lock":                  {func(b *fixture) { b.write(".git/index.lock", "") }, "another git process is running"},
		"a lock of the branch":    {func(b *fixture) { b.write(".git/refs/heads/main.lock", "") }, ".git/refs/heads/main.lock exists"},
		"a lock of HEAD":          {func(b *fixture) { b.write(".git/HEAD.lock", "") }, ".git/HEAD.lock exists"},
		"a lock of ORIG_HEAD":     {func(b *fixture) { b.write(".git/ORIG_HEAD.lock", "") }, ".git/ORIG_HEAD.lock exists"},
		"a lock of other refs":    {func(b *fixture) { b.write(".git/packed-refs.lock", "") }, ""},
		"sparse, without a file":  {func(b *fixture) { b.git("sparse-checkout", "set", "--no-cone", "/*", "!agents/a/config.yaml") }, "left out of the working tree (skip-worktree): agents/a/config.yaml"},
		"sparse, a new file":      {func(b *fixture) { b.git("sparse-checkout", "set", "--no-cone", "/*", "!agents/a/new.txt") }, "left out of the working tree (skip-worktree): agents/a/new.txt"},
		"sparse, other folders":   {func(b *fixture) { b.git("sparse-checkout", "set", "--cone", "elsewhere") }, "left out of the working tree (skip-worktree): agents/a/config.yaml"},
		"sparse, with the folder": {func(b *fixture) { b.git("sparse-checkout", "set", "--cone", "agents/a") }, ""},
		"a mark alone":            {func(b *fixture) { b.git("update-index", "--skip-worktree", "agents/a/config.yaml") }, "left out of the working tree (skip-worktree): agents/a/config.yaml"},
		"touched": {func(b *fixture) {
			now := someone.When
			if err := os.Chtimes(filepath.Join(b.dir, "agents/a/config.yaml"), now, now); err != nil {
				b.t.Fatal(err)
			}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t, map[string]string{"agents/a/config.yaml": "x: 1\n", "README": "r\n"})
			c.prepare(b)
			before, _ := os.ReadFile(filepath.Join(b.dir, ".git/index"))
			err := b.repo.Movable(t.Context(), files)
			if c.why == "" {
				if err != nil {
					t.Fatal(err)
				}
				commit, err := b.repo.Adopt(t.Context(), files, "m\n", someone)
				if err != nil {
					t.Fatal(err)
				}
				if b.git("rev-parse", "HEAD") != commit || !strings.HasPrefix(b.read("agents/a/config.yaml"), "x: 2") {
					t.Error("it did not move")
				}
			} else {
				if err == nil || !strings.Contains(err.Error(), c.why) {
					t.Fatalf("%v, want %q", err, c.why)
				}
				if _, err := b.repo.Adopt(t.Context(), files, "m\n", someone); err == nil || !strings.Contains(err.Error(), c.why) {
					t.Errorf("adopted all the same: %v", err)
				}
				if after, _ := os.ReadFile(filepath.Join(b.dir, ".git/index")); !slices.Equal(before, after) || b.git("rev-list", "--count", "HEAD") != "1" {
					t.Error("something moved")
				}
			}
			if _, err := os.Stat(filepath.Join(b.dir, "ran")); err == nil {
				t.Error("the command of a filter ran")
			}
		})
	}
}

// TestReplacedObjects checks that the committed content is written, regardless of replace
// refs, and that no hooks or monitors from the settings run.
func TestReplacedObjects(t *testing.T) {
	b := newFixture(t, map[string]string{"agents/a/config.yaml": "x: 1\n", "README": "r\n"})
	ran := filepath.Join(b.dir, "ran")
	b.write("hooks/post-merge", "#!/bin/sh\ntouch "+ran+"\n")
	b.write("hooks/post-index-change", "#!/bin/sh\ntouch "+ran+"\n")
	for _, h := range []string{"post-merge", "post-index-change"} {
		if err := os.Chmod(filepath.Join(b.dir, "hooks", h), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b.git("config", "core.hooksPath", filepath.Join(b.dir, "hooks"))
	b.git("config", "core.fsmonitor", "touch "+ran)
	b.git("config", "diff.x.textconv", "touch "+ran)
	b.write(".git/info/attributes", "* diff=x\n")
	good, evil := b.gitIn("x: 2\n", "hash-object", "-w", "--stdin"), b.gitIn("x: evil\n", "hash-object", "-w", "--stdin")
	b.git("replace", good, evil)
	root := b.git("rev-parse", "HEAD")
	b.write(".git/info/grafts", root+"\n")
	_ = os.Remove(ran)
	commit, err := b.repo.Adopt(t.Context(), []File{{Path: "agents/a/config.yaml", Old: []byte("x: 1\n"), New: []byte("x: 2\n")}}, "m\n", someone)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.read("agents/a/config.yaml"); got != "x: 2\n" || b.git("rev-parse", "HEAD") != commit {
		t.Errorf("the working tree has %q", got)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a command of the settings ran")
	}
}

// TestLanded checks that a file that changes while git writes it is named, together with a
// command that restores it.
func TestLanded(t *testing.T) {
	b := newFixture(t, map[string]string{"a.txt": "one\n", "it's.txt": "one\n"})
	files := []File{{Path: "a.txt", Old: []byte("one\n"), New: []byte("two\n")}, {Path: "it's.txt", Old: []byte("one\n"), New: []byte("two\n")}}
	head := b.git("rev-parse", "HEAD")
	commit, err := b.repo.Commit(head, files, "m\n", someone)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := b.repo.Candidate(head, files)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.repo.Forward(t.Context(), commit); err != nil {
		t.Fatal(err)
	}
	if err := b.repo.Landed(t.Context(), "", commit, tree, files); err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"another content": "evil\n", "ends of lines that were not asked for": "two\r\n"} {
		b.write("it's.txt", text)
		err := b.repo.Landed(t.Context(), "", commit, tree, files)
		var altered *AlteredError
		if !errors.As(err, &altered) || !slices.Equal(altered.Paths, []string{"it's.txt"}) || !strings.Contains(altered.Hint(), `checkout `+commit+` -- 'it'\''s.txt'`) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := os.Remove(filepath.Join(b.dir, "it's.txt")); err != nil {
		t.Fatal(err)
	}
	if err := b.repo.Landed(t.Context(), "", commit, tree, files); err == nil {
		t.Error("a file that is not there passed")
	}
	b.git("config", "core.autocrlf", "true")
	b.write("it's.txt", "two\r\n")
	if err := b.repo.Landed(t.Context(), "", commit, tree, files); err != nil {
		t.Errorf("ends of lines that were asked for: %v", err)
	}
	var altered *AlteredError
	if err := b.repo.Landed(t.Context(), "", commit, head, files); !errors.As(err, &altered) || len(altered.Paths) > 0 || !strings.Contains(altered.Hint(), " show "+commit) {
		t.Errorf("another tree: %v", err)
	}
}

// TestMovableBranch checks a branch that is checked out in a linked working tree.
func TestMovableBranch(t *testing.T) {
	b := newFixture(t, start())
	linked := &fixture{t: t, dir: filepath.Join(t.TempDir(), "linked"), env: b.env}
	b.git("worktree", "add", "--quiet", "-b", "side", linked.dir)
	base := b.git("rev-parse", "side")
	if err := b.repo.MovableBranch(t.Context(), "refs/heads/side", base, change()); err != nil {
		t.Fatal(err)
	}
	linked.write("README", "mine")
	if err := b.repo.MovableBranch(t.Context(), "refs/heads/side", base, change()); err != nil {
		t.Errorf("a dirty other file: %v", err)
	}
	linked.write("agents/a/config.yaml", "mine")
	var inUse *CheckedOutError
	if err := b.repo.MovableBranch(t.Context(), "refs/heads/side", base, change()); !errors.As(err, &inUse) || !strings.Contains(err.Error(), "config.yaml") {
		t.Errorf("a dirty file of the change: %v", err)
	}
	linked.git("checkout", "--", "agents/a/config.yaml")
	linked.write("agents/a/STRATEGY.md", "mine")
	var hindered *HinderedError
	if err := b.repo.MovableBranch(t.Context(), "refs/heads/side", base, change()); !errors.As(err, &hindered) {
		t.Errorf("an untracked file in the way: %v", err)
	}
	b.git("branch", "free")
	if err := b.repo.MovableBranch(t.Context(), "refs/heads/free", base, change()); err != nil {
		t.Errorf("checked out nowhere: %v", err)
	}
}

func TestFind(t *testing.T) {
	b := newFixture(t, start())
	first := b.git("rev-parse", "HEAD")
	b.git("commit", "--quiet", "--allow-empty", "--message=two\n\nEvolve-Proposal: P1")
	two := b.git("rev-parse", "HEAD")
	b.git("commit", "--quiet", "--allow-empty", "--message=three")
	marked := func(_, message string) (bool, error) { return strings.Contains(message, "Evolve-Proposal: P1\n"), nil }
	for base, want := range map[string]string{"": two, first: two, two: ""} {
		if got, err := b.repo.Find(b.git("rev-parse", "HEAD"), base, marked); got != want || err != nil {
			t.Errorf("from %q: %q, %v", base, got, err)
		}
	}
}

// TestLineEnds compares the line endings expected in a working tree with those that git
// writes there.
func TestLineEnds(t *testing.T) {
	for _, c := range []struct{ attributes, settings string }{
		{"", ""},
		{"", "core.autocrlf=true"},
		{"", "core.autocrlf=input"},
		{"", "core.eol=crlf"},
		{"* text", "core.eol=crlf"},
		{"* text=auto", "core.eol=crlf"},
		{"* text=auto", ""},
		{"* eol=crlf", ""},
		{"* eol=lf", "core.autocrlf=true"},
		{"* -text", "core.autocrlf=true"},
		{"* crlf", "core.eol=crlf"},
		{"* -crlf", "core.autocrlf=true"},
		{"* crlf=input", "core.autocrlf=true"},
		{"space/a.txt eol=crlf", ""},
		{"a.txt eol=crlf", ""},
		{"/a.txt eol=crlf", ""},
	} {
		b := newFixture(t, map[string]string{"space/a.txt": "one\ntwo\n"})
		b.write(".git/info/attributes", c.attributes+"\n")
		if key, value, set := strings.Cut(c.settings, "="); set {
			b.git("config", key, value)
		}
		if err := os.Remove(filepath.Join(b.dir, "space/a.txt")); err != nil {
			t.Fatal(err)
		}
		b.git("checkout", "--", "space/a.txt")
		native := b.read("space/a.txt")
		b.open(filepath.Join(b.dir, "space"))
		for _, have := range []string{"one\r\ntwo\r\n", "one\r\ntwo\n"} {
			same, err := b.repo.asCommitted(t.Context(), b.repo.dir, "a.txt", []byte(have), []byte("one\ntwo\n"))
			if same != (have == native) || err != nil {
				t.Errorf("%q with %q: %q is as committed: %v, %v; git writes %q", c.attributes, c.settings, have, same, err, native)
			}
		}
		same, err := b.repo.asCommitted(t.Context(), b.repo.dir, "a.txt", []byte("new\r\n"), []byte("new\n")) // not committed yet
		if same != strings.Contains(native, "\r") || err != nil {
			t.Errorf("%q with %q: new content is as committed: %v, %v", c.attributes, c.settings, same, err)
		}
	}
}
