//go:build unix

package archive

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestOddFolder checks that a folder's name may be a glob pattern that matches a
// neighbouring folder.
func TestOddFolder(t *testing.T) {
	base := t.TempDir()
	other := openAt(t, filepath.Join(base, "a1b"))
	filled(t, other)
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "a[1]b")
	a := openAt(t, dir)
	filled(t, a)
	want := exported(t, a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	r := readAt(t, dir)
	if err := r.Check(context.Background()); err != nil || exported(t, r) != want {
		t.Errorf("check: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	a = openAt(t, dir)
	closing(t, a)
}

// TestFewFiles checks that a process that is not allowed to open enough files gets an
// ErrResources, never an ErrCorrupt.
func TestFewFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("many processes, one after another")
	}
	dir := t.TempDir()
	a := openAt(t, dir)
	filled(t, a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	for _, how := range []string{"open", "read"} {
		seen := ""
		for most := 6; most <= 48; most += 2 {
			out, err := child(t, "few files", dir, how, strconv.Itoa(most)).CombinedOutput()
			if err != nil {
				t.Errorf("%s with %d files: %v: %s", how, most, err, out)
			}
			if got := strings.TrimSpace(string(out)); !strings.HasSuffix(seen, got) {
				seen += " " + got
			}
		}
		if seen != " too few opens" {
			t.Errorf("%s with more and more files:%s", how, seen)
		}
	}
	a = openAt(t, dir)
	closing(t, a)
}

// TestManifestMissing checks that an archive without the list of its tables counts as
// damaged if all other files are present, and is never taken for an empty archive.
func TestManifestMissing(t *testing.T) {
	for name, w := range map[string]wreck{"closed": closedArchive(t), "killed": killedArchive(t)} {
		for _, write := range []bool{false, true} {
			dir := w.copy(t, func(t *testing.T, dir string) { remove(t, filepath.Join(dir, storeName, manifestName)) })
			got, err := w.tried(t, dir, write)
			if got != refused || !strings.Contains(err.Error(), "MANIFEST: is missing") {
				t.Errorf("%s, to write %v: %v %v", name, write, got, err)
			}
			if _, err := os.Stat(filepath.Join(dir, storeName, manifestName)); err == nil {
				t.Errorf("%s: the manifest was made anew", name)
			}
		}
	}
}
