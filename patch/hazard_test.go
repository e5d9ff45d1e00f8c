package patch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// proposes makes a proposal and checks it with native git.
func (b *fixture) proposes(files []File) {
	b.t.Helper()
	ref, commit, err := b.repo.Propose("P1", files, "m\n", someone, always)
	if err != nil {
		b.t.Fatal(err)
	}
	if got := b.git("rev-parse", ref); got != commit {
		b.t.Errorf("native git reads %s at %s, not %s", ref, got, commit)
	}
	var want []string
	for _, f := range files {
		want = append(want, f.Path)
	}
	got := strings.Split(b.git("diff-tree", "-r", "--name-only", "--no-commit-id", commit), "\n")
	if len(got) != len(want) {
		b.t.Errorf("the commit changes %v, not %v", got, want)
	}
	b.git("fsck", "--strict", "--no-dangling")
}

func TestPackedOnly(t *testing.T) {
	b := newFixture(t, start())
	b.git("branch", "side")
	b.git("gc", "--quiet", "--prune=now")
	b.git("pack-refs", "--all", "--prune")
	b.proposes(change())
	if loose, err := filepath.Glob(filepath.Join(b.dir, ".git/refs/heads/*")); err != nil || len(loose) > 0 {
		t.Errorf("loose refs %v, %v", loose, err)
	}
}

// TestOpenStoreAfterGC checks that a store that listed the packs before native git
// replaced them still finds all objects.
func TestOpenStoreAfterGC(t *testing.T) {
	b := newFixture(t, start())
	head := b.git("rev-parse", "HEAD")
	b.git("repack", "-adq")
	s, err := b.repo.openStore()
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if _, err := s.commit(head); err != nil {
		t.Fatal(err)
	}
	next, err := b.repo.Adopt(t.Context(), change(), "m\n", someone)
	if err != nil {
		t.Fatal(err)
	}
	b.git("-c", "repack.writeBitmaps=false", "gc", "--quiet", "--prune=now")
	for _, commit := range []string{head, next} {
		tree, err := s.treeish(commit)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.walk(tree, "", 0, func(_ string, e entry) error { _, err := s.object(e.hash); return err }); err != nil {
			t.Error(err)
		}
	}
}

// TestReadsBesideRepack reads one repository from several goroutines, which share the
// indexes of its packs, while native git replaces those packs.
func TestReadsBesideRepack(t *testing.T) {
	b := newFixture(t, start())
	base := b.git("rev-parse", "HEAD")
	b.git("repack", "-adq")
	var over atomic.Bool
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for !over.Load() {
				if tree, err := b.repo.Tree(base); err != nil || len(tree) != 4 {
					t.Error(len(tree), err)
					return
				}
			}
		})
	}
	for i := range 20 {
		if _, _, err := b.repo.Propose("P1", []File{{Path: "new", New: fmt.Append(nil, i)}}, "m\n", someone, always); err != nil {
			t.Error(err)
		}
		b.git("repack", "-adq")
	}
	over.Store(true)
	readers.Wait()
	if n := len(b.repo.indexes.byPath); n > 2 { // the latest pack may not have been read yet
		t.Errorf("%d indexes are kept", n)
	}
}

func TestDeltasAndLargeObjects(t *testing.T) {
	files := start()
	var long strings.Builder
	for i := range 4000 {
		long.WriteString(strings.Repeat("line ", i%7) + "\n")
	}
	files["long.txt"] = long.String()
	b := newFixture(t, files)
	for i := range 3 {
		files["long.txt"] += strings.Repeat("more\n", i+1)
		b.write("long.txt", files["long.txt"])
		b.git("commit", "--quiet", "--all", "--message=longer")
	}
	b.git("gc", "--quiet", "--aggressive", "--prune=now")
	for _, rev := range []string{"HEAD", "HEAD~1", "HEAD~3"} {
		commit := b.git("rev-parse", rev)
		got, err := b.repo.File(commit, "long.txt")
		if err != nil || strings.TrimSpace(string(got)) != b.git("show", rev+":long.txt") {
			t.Errorf("%s: %d bytes, %v", rev, len(got), err)
		}
		tree, err := b.repo.Tree(commit)
		if err != nil || tree[len(tree)-1].Size != int64(len(got)) {
			t.Errorf("%s: %+v, %v", rev, tree, err)
		}
	}
}

func TestAlternates(t *testing.T) {
	for _, relative := range []bool{false, true} {
		lender := newFixture(t, start())
		lender.git("repack", "-adq")
		b := &fixture{t: t, dir: filepath.Join(lender.dir, "borrower"), env: lender.env}
		lender.git("clone", "--quiet", "--shared", lender.dir, b.dir)
		path := filepath.Join(b.dir, ".git/objects/info/alternates")
		if relative {
			if err := os.WriteFile(path, []byte("# borrowed\n../../../.git/objects\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		// A second borrower borrows from the first, so it is two steps from the lender.
		second := &fixture{t: t, dir: filepath.Join(lender.dir, "second"), env: lender.env}
		lender.git("clone", "--quiet", "--shared", b.dir, second.dir)
		fixtures := []*fixture{b}
		if !relative { // git does not follow a lender's relative path
			fixtures = append(fixtures, second)
		}
		for _, b := range fixtures {
			b.open(b.dir)
			b.proposes(change())
			if n := b.git("count-objects"); !strings.HasPrefix(n, "6 ") { // two blobs, three trees, a commit
				t.Errorf("%s were written", n)
			}
		}
		if err := os.Rename(filepath.Join(lender.dir, ".git"), filepath.Join(lender.dir, "gone")); err != nil {
			t.Fatal(err)
		}
		_, err := b.repo.Commit(strings.Repeat("1", 40), nil, "m\n", someone)
		var missing *MissingError
		if !errors.As(err, &missing) || !strings.Contains(missing.Why, "borrows objects from") {
			t.Errorf("%v, want the lender named", err)
		}
	}
}

func TestShallowClone(t *testing.T) {
	origin := newFixture(t, start())
	first := origin.git("rev-parse", "HEAD")
	if _, err := origin.repo.Adopt(t.Context(), change(), "second\n", someone); err != nil {
		t.Fatal(err)
	}
	b := &fixture{t: t, dir: filepath.Join(origin.dir, "shallow"), env: origin.env}
	origin.git("clone", "--quiet", "--depth=1", "file://"+origin.dir, b.dir)
	b.open(b.dir)
	b.proposes(Reverse(change()))
	_, err := b.repo.Commit(first, change(), "m\n", someone)
	var missing *MissingError
	if !errors.As(err, &missing) || missing.Hash != first || !strings.Contains(err.Error(), "shallow clone") {
		t.Errorf("%v, want a missing commit of a shallow clone", err)
	}
}

func TestPartialClone(t *testing.T) {
	origin := newFixture(t, start())
	origin.git("config", "uploadpack.allowFilter", "true")
	b := &fixture{t: t, dir: filepath.Join(origin.dir, "partial"), env: origin.env}
	origin.git("clone", "--quiet", "--no-checkout", "--filter=blob:none", "file://"+origin.dir, b.dir)
	// Fetching what is missing would run the remote's program.
	b.git("config", "remote.origin.uploadpack", "touch "+filepath.Join(b.dir, "fetched")+"; git-upload-pack")
	b.open(b.dir)
	_, err := b.repo.Candidate(b.git("rev-parse", "HEAD"), change())
	var missing *MissingError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "partial clone") {
		t.Errorf("%v, want a missing object of a partial clone", err)
	}
	if err := b.repo.Export(t.Context(), b.git("rev-parse", "HEAD"), t.TempDir()); !errors.As(err, &missing) {
		t.Errorf("%v, want a missing object", err)
	}
	if out, err := b.repo.native(t.Context(), b.dir, "cat-file", "blob", "HEAD:README"); err == nil {
		t.Errorf("native git fetched %q", out)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "fetched")); err == nil {
		t.Error("native git asked the remote")
	}
}

// TestSpecialEntries checks that links and submodules stay unchanged and are not
// followed, and that files keep their modes.
func TestSpecialEntries(t *testing.T) {
	b := newFixture(t, start())
	if err := os.Symlink("agents", filepath.Join(b.dir, "link")); err != nil {
		t.Fatal(err)
	}
	b.write("run.sh", "#!/bin/sh\n")
	b.git("add", "link", "run.sh")
	b.git("update-index", "--chmod=+x", "run.sh")
	b.git("update-index", "--add", "--cacheinfo", "160000,"+b.git("rev-parse", "HEAD")+",module")
	b.git("commit", "--quiet", "--message=special")
	head := b.git("rev-parse", "HEAD")
	for _, path := range []string{"link", "link/b.yaml", "module", "module/x"} {
		for _, f := range []File{{Path: path, New: []byte("x")}, {Path: path, Old: []byte("agents"), New: []byte("x")}, {Path: path, Old: []byte("agents")}} {
			if _, err := b.repo.Candidate(head, []File{f}); err == nil {
				t.Errorf("%s was changed", path)
			}
		}
	}
	b.proposes([]File{{Path: "run.sh", Old: []byte("#!/bin/sh\n"), New: []byte("#!/bin/sh\ntrue\n")}})
	if got := b.git("ls-tree", "refs/evolve/proposals/P1", "run.sh", "link", "module"); !strings.Contains(got, "120000 blob") ||
		!strings.Contains(got, "160000 commit") || !strings.Contains(got, "100755 blob") {
		t.Errorf("the tree has\n%s", got)
	}
}

// TestStoredContentsAreNotFiltered checks that the content of a change is stored unchanged,
// regardless of the filters and line endings of a checkout.
func TestStoredContentsAreNotFiltered(t *testing.T) {
	b := newFixture(t, map[string]string{".gitattributes": "*.bin filter=lfs\n*.txt text eol=crlf\n", "big.bin": "pointer\n", "a.txt": "one\r\ntwo\r\n"})
	b.git("config", "filter.lfs.clean", "sed s/^smudged//")
	b.git("config", "filter.lfs.smudge", "sed s/^/smudged/")
	b.git("config", "core.autocrlf", "true")
	head := b.git("rev-parse", "HEAD")
	if got, err := b.repo.File(head, "a.txt"); string(got) != "one\ntwo\n" || err != nil {
		t.Errorf("stored %q, %v", got, err)
	}
	// A file with a filter driver would have other content in the working tree.
	filtered := File{Path: "big.bin", Old: []byte("pointer\n"), New: []byte("other\n")}
	var hindered *HinderedError
	if _, err := b.repo.Adopt(t.Context(), []File{filtered}, "m\n", someone); !errors.As(err, &hindered) || !strings.Contains(hindered.Why, "big.bin (filter=lfs)") {
		t.Fatalf("%v", err)
	}
	if got, err := b.repo.Commit(head, []File{filtered}, "m\n", someone); err != nil || b.git("cat-file", "blob", got+":big.bin") != "other" {
		t.Errorf("stored otherwise: %v", err)
	}
	commit, err := b.repo.Adopt(t.Context(), []File{{Path: "a.txt", Old: []byte("one\ntwo\n"), New: []byte("one\nthree\n")}}, "m\n", someone)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.read("a.txt") + b.read("big.bin"); got != "one\r\nthree\r\npointer\n" {
		t.Errorf("the working tree has %q", got)
	}
	dir := filepath.Join(t.TempDir(), "out")
	if err := b.repo.Export(t.Context(), commit, dir); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "a.txt")); string(got) != "one\nthree\n" || err != nil {
		t.Errorf("exported %q, %v", got, err)
	}
}

func TestSparseCheckout(t *testing.T) {
	b := newFixture(t, start())
	b.git("sparse-checkout", "set", "--cone", "agents/a") // enables worktreeConfig
	b.open(b.dir)
	files := []File{{Path: "agents/c/new.yaml", New: []byte("n\n")}, {Path: "README", Old: []byte("r\n"), New: []byte("r2\n")}}
	// Adopting a file outside the sparse checkout is refused, but fast-forwarding to a
	// commit that adds such a file is not.
	var hindered *HinderedError
	if _, err := b.repo.Adopt(t.Context(), files, "m\n", someone); !errors.As(err, &hindered) || !strings.Contains(hindered.Hint, "sparse-checkout add agents/c`") {
		t.Fatal(err)
	}
	commit, err := b.repo.Commit(b.git("rev-parse", "HEAD"), files, "m\n", someone)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.repo.Forward(t.Context(), commit); err != nil {
		t.Fatal(err)
	}
	var altered *AlteredError
	if err := b.repo.Landed(t.Context(), "", commit, "", files); !errors.As(err, &altered) || !slices.Equal(altered.Paths, []string{"agents/c/new.yaml"}) {
		t.Errorf("%v, want the file that is left out", err)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "agents/c")); err == nil {
		t.Error("a file outside the sparse checkout appeared")
	}
	if got := b.read("README") + b.git("status", "--porcelain"); got != "r2\n" {
		t.Errorf("the working tree has %q", got)
	}
}

// TestSubmodule opens a repository whose git folder lies inside that of another repository.
func TestSubmodule(t *testing.T) {
	inner, outer := newFixture(t, start()), newFixture(t, map[string]string{"x": "x"})
	outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.dir, "sub")
	b := &fixture{t: t, dir: filepath.Join(outer.dir, "sub"), env: outer.env}
	b.open(b.dir)
	if p := Problems(b.dir); len(p) > 0 {
		t.Errorf("%+v", p)
	}
	b.proposes(change())
	if err := b.repo.Advance(t.Context(), Move{Ref: "refs/heads/main", Old: b.git("rev-parse", "main"), New: b.git("rev-parse", ProposalRef("P1")), By: someone}); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff("x: 2\n", b.read("agents/a/config.yaml")); diff != "" {
		t.Error(diff)
	}
}
