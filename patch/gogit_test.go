package patch

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

func (b *fixture) gogit() *filesystem.Storage {
	return filesystem.NewStorage(osfs.New(filepath.Join(b.dir, ".git")), cache.NewObjectLRUDefault())
}

// reads reports whether go-git's storage can read the tree of HEAD, which this package must
// be able to read.
func (b *fixture) reads(t *testing.T) bool {
	t.Helper()
	b.open(b.dir)
	head := b.git("rev-parse", "HEAD")
	if _, err := b.repo.Tree(head); err != nil {
		t.Errorf("this package: %v", err)
	}
	tree, err := b.repo.TreeOf(head)
	if err != nil {
		t.Fatal(err)
	}
	_, err = object.GetTree(b.gogit(), plumbing.NewHash(tree))
	t.Logf("go-git: %v", err)
	return err == nil
}

// packs returns the path of the only pack without its extension.
func (b *fixture) packs(t *testing.T) string {
	t.Helper()
	b.git("repack", "-adq")
	found, err := filepath.Glob(filepath.Join(b.dir, ".git/objects/pack/*.pack"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	return strings.TrimSuffix(found[0], ".pack")
}

// TestStorageOfGoGit shows why this package implements what go-git's storage also offers.
// Each case is one that this package handles and go-git does not. If go-git learns to
// handle a case, the case fails, and the code here can be removed.
func TestStorageOfGoGit(t *testing.T) {
	learned := func(t *testing.T) {
		t.Helper()
		t.Error("go-git does this now: use it")
	}
	other := strings.Repeat("ab", 20)
	t.Run("a pack whose index is not written yet", func(t *testing.T) {
		b := newFixture(t, start())
		data, err := os.ReadFile(b.packs(t) + ".pack")
		if err != nil {
			t.Fatal(err)
		}
		b.write(".git/objects/pack/pack-"+other+".pack", string(data))
		if b.reads(t) {
			learned(t)
		}
	})
	t.Run("a pack that is not named by its checksum", func(t *testing.T) {
		b := newFixture(t, start())
		pack := b.packs(t)
		for _, ext := range []string{".pack", ".idx"} {
			if err := os.Rename(pack+ext, filepath.Join(filepath.Dir(pack), "pack-"+other+ext)); err != nil {
				t.Fatal(err)
			}
		}
		if b.reads(t) {
			learned(t)
		}
	})
	t.Run("a relative alternate", func(t *testing.T) {
		b := newFixture(t, start())
		b.git("clone", "--quiet", "--shared", b.dir, filepath.Join(b.dir, "clone"))
		b.write("clone/.git/objects/info/alternates", "../../../.git/objects\n")
		clone := &fixture{t: t, dir: filepath.Join(b.dir, "clone"), env: b.env}
		if clone.reads(t) {
			learned(t)
		}
	})
	t.Run("an object with other content", func(t *testing.T) {
		b := newFixture(t, start())
		good, bad := b.blob("good"), b.blob("evil")
		objects := filepath.Join(b.dir, ".git/objects")
		if err := os.Rename(loosePath(objects, bad), loosePath(objects, good)); err != nil {
			t.Fatal(err)
		}
		if _, err := b.gogit().EncodedObject(plumbing.BlobObject, good); err != nil {
			learned(t) // TestDamagedObjects checks this package
		}
	})
	t.Run("sizes without open files", func(t *testing.T) {
		b := newFixture(t, start())
		defer debug.SetGCPercent(debug.SetGCPercent(-1)) // finalizers close the files
		open := func() int {
			files, err := os.ReadDir("/proc/self/fd")
			if err != nil {
				t.Skip("needs /proc")
			}
			return len(files)
		}
		before := open()
		if _, err := b.repo.Tree(b.git("rev-parse", "HEAD")); err != nil || open() > before {
			t.Errorf("%d open files, %d before, %v", open(), before, err)
		}
		for range 10 {
			if _, err := b.gogit().EncodedObjectSize(plumbing.NewHash(b.git("rev-parse", "HEAD:README"))); err != nil {
				t.Fatal(err)
			}
		}
		if open() < before+10 {
			learned(t)
		}
	})
	t.Run("the stored modes of a tree", func(t *testing.T) {
		b := newFixture(t, start())
		tree := b.rawTree(entry{"100664", "old", b.blob("o")})
		decoded, err := object.GetTree(b.gogit(), plumbing.NewHash(tree))
		if err != nil {
			t.Fatal(err)
		}
		var encoded plumbing.MemoryObject
		if err := decoded.Encode(&encoded); err != nil {
			t.Fatal(err)
		}
		if encoded.Hash().String() == tree {
			learned(t) // TestOldModes makes this check on this package
		}
		same, err := object.GetTree(b.gogit(), plumbing.NewHash(b.rawTree(entry{modeRegular, "old", b.blob("o")})))
		if err != nil {
			t.Fatal(err)
		}
		changes, err := object.DiffTree(same, decoded)
		if err != nil || len(changes) > 0 {
			learned(t)
		}
		if paths, err := b.repo.Changed(same.Hash.String(), tree); len(paths) != 1 || err != nil {
			t.Errorf("a changed mode is %v, %v", paths, err)
		}
	})
	t.Run("the age of an object that is written again", func(t *testing.T) {
		b := newFixture(t, start())
		old := time.Now().Add(-30 * 24 * time.Hour) // git prunes an unused object after two weeks
		h := b.blob("again")
		path := loosePath(filepath.Join(b.dir, ".git/objects"), h)
		age := func() time.Time {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			return info.ModTime()
		}
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
		o := &plumbing.MemoryObject{}
		o.SetType(plumbing.BlobObject)
		if _, err := o.Write([]byte("again")); err != nil {
			t.Fatal(err)
		}
		if _, err := b.gogit().SetEncodedObject(o); err != nil || age().After(old.Add(time.Hour)) {
			learned(t)
		}
		if _, err := b.repo.Candidate(b.git("rev-parse", "HEAD"), []File{{Path: "x", New: []byte("again")}}); err != nil || !age().After(old.Add(time.Hour)) {
			t.Errorf("the object is still of %s, %v", age(), err)
		}
	})
	t.Run("the lock and the log of a ref", func(t *testing.T) {
		b := newFixture(t, start())
		head, next := b.git("rev-parse", "HEAD"), b.next("main").New
		b.git("update-ref", "refs/heads/side", head)
		logged := b.read(".git/logs/refs/heads/side")
		b.write(".git/refs/heads/side.lock", "")
		b.repo.pause = func(time.Duration) {}
		if b.repo.MoveRef("refs/heads/side", head, next) == nil {
			t.Error("this package moved a locked ref")
		}
		ref := func(hash string) *plumbing.Reference {
			return plumbing.NewHashReference("refs/heads/side", plumbing.NewHash(hash))
		}
		if err := b.gogit().CheckAndSetReference(ref(next), ref(head)); err != nil || b.read(".git/logs/refs/heads/side") != logged {
			learned(t)
		}
	})
	t.Run("a damaged ref", func(t *testing.T) {
		b := newFixture(t, start())
		b.git("update-ref", "refs/heads/side", "HEAD")
		b.git("pack-refs", "--all")
		b.write(".git/refs/heads/side", "0123\n")
		if h, err := b.repo.Ref("refs/heads/side"); err == nil {
			t.Errorf("this package reads %s", h)
		}
		if _, err := dotgit.New(osfs.New(filepath.Join(b.dir, ".git"))).Ref("refs/heads/side"); err != nil {
			learned(t)
		}
	})
	t.Run("the names of refs", func(t *testing.T) {
		b := newFixture(t, nil)
		for _, name := range []string{"refs/heads/@", "refs/heads/-x"} {
			b.git("check-ref-format", name)
			if err := checkRef(name); err != nil {
				t.Errorf("this package: %v", err)
			}
			if plumbing.ReferenceName(name).Validate() == nil {
				learned(t)
			}
		}
	})
}
