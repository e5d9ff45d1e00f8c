//go:build unix

package archive

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// digests returns the digest of every file in a folder.
func digests(t *testing.T, dir string) map[string][sha256.Size]byte {
	t.Helper()
	out := map[string][sha256.Size]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		out[path] = sha256.Sum256(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestGlance checks that a glance can read while a writer is at work and after it has
// closed, and that a glance creates and repairs nothing.
func TestGlance(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	read := func(when string) {
		t.Helper()
		a, err := Glance(dir, time.Minute)
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		if _, err := a.Run(ctx, "1-a"); err != nil {
			t.Errorf("%s: %v", when, err)
		}
		if err := a.PutRun(ctx, Run{ID: "2-b", Number: 2}); !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s, a write: %v", when, err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := Glance(dir, time.Minute); !errors.Is(err, ErrNotFound) {
		t.Errorf("where nothing is: %v", err)
	}
	if made := digests(t, dir); len(made) > 0 {
		t.Errorf("a glance made %v", made)
	}
	a := openAt(t, dir)
	if err := a.PutRun(ctx, Run{ID: "1-a", Number: 1}); err != nil {
		t.Fatal(err)
	}
	read("beside a writer")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	read("after it")

	cmd, in := readyChild(t, "hold", dir)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	cmd.Wait()
	before := digests(t, dir)
	if a, err := Glance(dir, time.Minute); err == nil {
		t.Errorf("the archive of a killed process was opened: %v", a.Close())
	}
	if diff := cmp.Diff(before, digests(t, dir)); diff != "" {
		t.Errorf("a glance changed the archive of a killed process: %s", diff)
	}
	a = openAt(t, dir) // the lock is free
	closing(t, a)
}

// TestGlanceAtStoppedHolder checks that a glance does not wait for a lock holder that does
// not answer.
func TestGlanceAtStoppedHolder(t *testing.T) {
	if a, err := Glance(stoppedHolder(t), 10*time.Millisecond); err == nil {
		t.Errorf("it was opened: %v", a.Close())
	}
}
