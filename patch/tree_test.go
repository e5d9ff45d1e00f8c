package patch

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/patch/scope"
)

// rawTree makes a tree from raw entries, which native git would refuse.
func (b *fixture) rawTree(entries ...entry) string {
	b.t.Helper()
	var data bytes.Buffer
	for _, e := range entries {
		data.WriteString(e.mode + " " + e.name + "\x00")
		data.Write(e.hash[:])
	}
	return b.gitIn(data.String(), "hash-object", "-t", "tree", "-w", "--stdin", "--literally")
}

func (b *fixture) blob(text string) plumbing.Hash {
	b.t.Helper()
	return plumbing.NewHash(b.gitIn(text, "hash-object", "-w", "--stdin"))
}

func TestTreeListsWhatIsThere(t *testing.T) {
	b := newFixture(t, start())
	b.write("a-b", "1")
	b.write("a/b", "22")
	b.write("run.sh", "")
	if err := os.Symlink("README", filepath.Join(b.dir, "link")); err != nil {
		t.Fatal(err)
	}
	b.git("add", "--all")
	b.git("update-index", "--chmod=+x", "run.sh")
	b.git("update-index", "--add", "--cacheinfo", "160000,"+b.git("rev-parse", "HEAD")+",module")
	b.git("commit", "--quiet", "--message=m")
	for _, packed := range []bool{false, true} {
		if packed {
			b.git("gc", "--quiet")
		}
		got, err := b.repo.Tree(b.git("rev-parse", "HEAD"))
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, e := range got {
			size := fmt.Sprint(e.Size)
			kind := "blob"
			if e.Mode == scope.Submodule {
				size, kind = "-", "commit"
			}
			lines = append(lines, fmt.Sprintf("%06o %s %s %7s\t%s", uint32(e.Mode), kind, e.Hash, size, e.Path))
		}
		if diff := cmp.Diff(strings.Split(b.git("ls-tree", "-r", "--long", "HEAD"), "\n"), lines); diff != "" {
			t.Error(diff)
		}
	}
}

// TestOddNames checks that a tree is listed in its stored form, and is never exported if a
// name could lead outside the target folder.
func TestOddNames(t *testing.T) {
	b := newFixture(t, start())
	blob := b.blob("x")
	for _, name := range []string{"..", ".", ".git", ".GIT", "git~1", ".git ", ".git::$INDEX_ALLOCATION", ".g\u200cit", "a/b", "../x", strings.Repeat("n", 256)} {
		for _, tree := range []string{
			b.rawTree(entry{modeRegular, name, blob}),
			b.rawTree(entry{modeFolder, name, plumbing.NewHash(b.rawTree(entry{modeRegular, "x", blob}))}),
		} {
			listed, err := b.repo.Tree(tree)
			if err != nil || len(listed) != 1 || !strings.HasPrefix(listed[0].Path, name) {
				t.Errorf("%q is listed as %+v, %v", name, listed, err)
			}
			dir := filepath.Join(t.TempDir(), "in", "out")
			if err := b.repo.Export(t.Context(), tree, dir); err == nil {
				t.Errorf("%q was exported", name)
			}
			if there, err := filepath.Glob(filepath.Join(dir, "..", "*")); err != nil || len(there) != 1 {
				t.Errorf("%q: beside the folder are %v, %v", name, there, err)
			}
		}
	}
	twice := b.rawTree(entry{modeRegular, "same", blob}, entry{modeRegular, "same", b.blob("y")})
	if err := b.repo.Export(t.Context(), twice, filepath.Join(t.TempDir(), "out")); err == nil {
		t.Error("a name was exported twice")
	}
	through := b.rawTree(entry{modeLink, "dir", b.blob("/")}, entry{modeFolder, "dir", plumbing.NewHash(b.rawTree(entry{modeRegular, "x", blob}))})
	dir := filepath.Join(t.TempDir(), "out")
	if err := b.repo.Export(t.Context(), through, dir); err != nil {
		t.Error(err)
	}
	if info, err := os.Lstat(filepath.Join(dir, "dir")); err != nil || !info.IsDir() {
		t.Errorf("a link was made: %v, %v", info, err)
	}
}

// TestNamesBesideNativeGit compares the accepted paths with those that native git accepts
// into an index when it protects every file system. We also refuse characters that are not
// text.
func TestNamesBesideNativeGit(t *testing.T) {
	b := newFixture(t, nil)
	hash := b.gitIn("x", "hash-object", "-w", "--stdin")
	for _, path := range []string{
		"a", "a/b", ".gitignore", ".github/x", "git", "git~2", "a.git", ".git-x", "über", ".gi\u00ad",
		"", ".", "..", "a/../b", "/a", "a/", "a//b", ".git", ".git/x", "a/.GiT/x", "git~1", "GIT~1", ".git.", ".git ", ".git . .", ".git:x",
		".g\u200cit", "\ufeff.git", ".gi\u202at", `a\.git\x`, `.git\x`,
	} {
		_, native := b.try("-c", "core.protectNTFS=true", "-c", "core.protectHFS=true", "update-index", "--add", "--replace", "--cacheinfo", "100644,"+hash+","+path)
		if ours := checkPath(path); (ours == nil) != (native == nil) {
			t.Errorf("%q: %v; native git: %v", path, ours, native)
		}
	}
	for _, path := range []string{"a\nb", "a\x1bb", "a\x7f", "a\xff", strings.Repeat("a/", 3000) + "a"} {
		if checkPath(path) == nil {
			t.Errorf("%q may be written", path)
		}
	}
}

func TestExport(t *testing.T) {
	b := newFixture(t, map[string]string{"a/b/c.go": "package c\n", "a/same": "same", "same": "same", "run.sh": "#!\n", "empty": ""})
	if err := os.Symlink("/etc/passwd", filepath.Join(b.dir, "link")); err != nil {
		t.Fatal(err)
	}
	b.git("add", "--all")
	b.git("update-index", "--chmod=+x", "run.sh")
	b.git("commit", "--quiet", "--message=m")
	commit := b.git("rev-parse", "HEAD")
	shapes := map[string]string{}
	var first string
	for i := range 2 {
		dir := filepath.Join(t.TempDir(), "out")
		if err := b.repo.Export(t.Context(), commit, dir); err != nil {
			t.Fatal(err)
		}
		var shape strings.Builder
		err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
			if err == nil {
				rel, _ := filepath.Rel(dir, path)
				shapes[rel] = fmt.Sprint(info.ModTime().UnixNano())
				fmt.Fprintf(&shape, "%s %s %d\n", rel, info.Mode(), info.ModTime().UnixNano())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 && shape.String() != first {
			t.Errorf("two exports differ:\n%s\n%s", first, shape.String())
		}
		first = shape.String()
		if err := b.repo.Export(t.Context(), commit, dir); err == nil {
			t.Error("exported into a folder that is not empty")
		}
	}
	if shapes["same"] != shapes["a/same"] || shapes["same"] == shapes["empty"] || shapes["a"] == shapes["a/b"] {
		t.Errorf("the times are not those of the contents: %v", shapes)
	}
	want := []string{".", "a", "a/b", "a/b/c.go", "a/same", "empty", "run.sh", "same"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(shapes))); diff != "" {
		t.Error(diff)
	}
	for _, line := range []string{"run.sh -rwxr-xr-x", "same -rw-r--r--", "a drwxr-xr-x"} {
		if !strings.Contains(first, line) {
			t.Errorf("no %q in\n%s", line, first)
		}
	}
}

// TestOldModes checks that unchanged files keep permissions in the form that old versions
// of git wrote, so that reversing a change gives the same tree.
func TestOldModes(t *testing.T) {
	b := newFixture(t, start())
	tree := b.rawTree(entry{"100664", "old", b.blob("o")}, entry{modeRegular, "x", b.blob("x")})
	commit := b.git("commit-tree", "-m", "m", tree)
	files := []File{{Path: "x", Old: []byte("x"), New: []byte("y")}}
	if err := b.repo.Rehearse(commit, files); err != nil {
		t.Error(err)
	}
	candidate, err := b.repo.Candidate(commit, files)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.git("cat-file", "tree", candidate); !strings.HasPrefix(got, "100664 old\x00") {
		t.Errorf("the tree has %q", got)
	}
}

// TestOddCommits checks that commits written by other programs and by old versions of git
// can be read.
func TestOddCommits(t *testing.T) {
	b := newFixture(t, start())
	tree, parent := b.git("rev-parse", "HEAD^{tree}"), b.git("rev-parse", "HEAD")
	head := "tree " + tree + "\nparent " + parent + "\n"
	for name, c := range map[string]struct{ raw, message string }{
		"no author":       {head + "\nm\n", "m\n"},
		"no address":      {head + "author A 1 +0000\ncommitter < > 9999999999999999999 +9999\n\nm\n\nn", "m\n\nn"},
		"signed":          {head + "author A <a> 1 +0000\ncommitter A <a> 1 +0000\ngpgsig one\n two\n \n three\n\nm\n", "m\n"},
		"encoded":         {head + "author A <a> 1 +0000\ncommitter A <a> 1 +0000\nencoding latin1\n\n\xfc\n", "\xfc\n"},
		"no message":      {head + "author A <a> 1 +0000\ncommitter A <a> 1 +0000\n", ""},
		"unknown headers": {head + "author A <a> 1 +0000\ncommitter A <a> 1 +0000\nx\ny z\n more\n\nm", "m"},
	} {
		commit := b.gitIn(c.raw, "hash-object", "-t", "commit", "-w", "--stdin", "--literally")
		if got, err := b.repo.TreeOf(commit); got != tree || err != nil {
			t.Errorf("%s: the tree is %s, %v", name, got, err)
		}
		var message string
		found, err := b.repo.Find(commit, "", func(at, text string) (bool, error) {
			if at == commit {
				message = text
			}
			return at == parent, nil
		})
		if found != parent || message != c.message || err != nil {
			t.Errorf("%s: the parent is %s, the message %q, %v", name, found, message, err)
		}
	}
	for _, raw := range []string{"", "tree x\n\nm", "parent " + parent + "\ntree " + tree + "\n\nm"} {
		commit := b.gitIn(raw, "hash-object", "-t", "commit", "-w", "--stdin", "--literally")
		if got, err := b.repo.TreeOf(commit); err == nil {
			t.Errorf("%q has the tree %s", raw, got)
		}
	}
}

// TestChangesBesideNativeGit generates two trees and checks that applying their
// difference turns one into the other, in both directions. Native git checks some of the
// differences.
func TestChangesBesideNativeGit(t *testing.T) {
	b := newFixture(t, start())
	s, err := b.repo.openStore()
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	empty := s.put(plumbing.TreeObject, nil)
	names := []string{"a", "a-b", "a.b", "a0", "d/a", "d/b", "d/e/f", "d-e", "d0/x", "z"}
	checked := 0
	rapid.Check(t, func(t *rapid.T) {
		content := rapid.SampledFrom([]string{"", "1", "2", "three\n"})
		var trees [2]plumbing.Hash
		for i := range trees {
			files := rapid.MapOf(rapid.SampledFrom(names), content).Draw(t, "files")
			if text, ok := files["d/a"]; ok && len(text) > 1 { // a file instead of the folder
				maps.DeleteFunc(files, func(name, _ string) bool { return strings.HasPrefix(name, "d/") })
				files["d"] = text
			}
			var add []File
			for _, name := range slices.Sorted(maps.Keys(files)) {
				add = append(add, File{Path: name, New: []byte(files[name])})
			}
			if trees[i], err = b.repo.apply(s, empty, add); err != nil {
				t.Fatal(err)
			}
		}
		var way []File
		var changed []string
		err := s.compare(trees[0].String(), trees[1].String(), func(path string, x, y *entry) (err error) {
			f := File{Path: path}
			if f.Old, err = s.side(x); err == nil {
				f.New, err = s.side(y)
			}
			way, changed = append(way, f), append(changed, path)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		there, err := b.repo.apply(s, trees[0], way)
		if err != nil || there != trees[1] {
			t.Fatalf("the way leads to %s, not to %s, %v", there, trees[1], err)
		}
		back, err := b.repo.apply(s, there, Reverse(way))
		if err != nil || back != trees[0] {
			t.Fatalf("the way back leads to %s, not to %s, %v", back, trees[0], err)
		}
		if checked++; checked > 5 {
			return // native git is slow
		}
		if err := s.flush(); err != nil {
			t.Fatal(err)
		}
		empty = s.put(plumbing.TreeObject, nil)
		native := strings.Fields(b.git("diff-tree", "-r", "--name-only", "--no-renames", trees[0].String(), trees[1].String()))
		slices.Sort(native)
		slices.Sort(changed)
		if !slices.Equal(changed, native) {
			t.Fatalf("changed %v, native git read %v", changed, native)
		}
	})
	b.git("fsck", "--strict", "--no-dangling")
}

func TestChangedAndDiff(t *testing.T) {
	b := newFixture(t, start())
	from := b.git("rev-parse", "HEAD")
	to, err := b.repo.Commit(from, change(), "m\n", someone)
	if err != nil {
		t.Fatal(err)
	}
	paths, err := b.repo.Changed(from, to)
	if diff := cmp.Diff([]string{"agents/a/STRATEGY.md", "agents/a/config.yaml"}, paths); diff != "" || err != nil {
		t.Error(diff, err)
	}
	files, err := b.repo.Diff(from, to)
	want := change()
	slices.Reverse(want)
	if diff := cmp.Diff(want, files); diff != "" || err != nil {
		t.Error(diff, err)
	}
	b.git("update-index", "--chmod=+x", "README")
	b.git("commit", "--quiet", "--message=mode")
	if paths, err := b.repo.Changed(from, b.git("rev-parse", "HEAD")); !slices.Equal(paths, []string{"README"}) || err != nil {
		t.Errorf("a changed mode is %v, %v", paths, err)
	}
	if files, err := b.repo.Diff(from, b.git("rev-parse", "HEAD")); err == nil {
		t.Errorf("a changed mode is %v", files)
	}
}
