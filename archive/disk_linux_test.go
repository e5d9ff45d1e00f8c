package archive

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"evolve/bench"
)

// mounted mounts a file system and returns its folder. It skips the test if mounting is not
// permitted.
func mounted(t *testing.T, kind, source, options string, flags uintptr) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount(source, dir, kind, flags, options); err != nil {
		t.Skipf("this process may not mount file systems: %v", err)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

// TestFullDisk fills a small disk: the archive stops with ErrDisk in time and can be
// closed, and everything acknowledged is there afterwards.
func TestFullDisk(t *testing.T) {
	ctx := context.Background()
	dir := mounted(t, "tmpfs", "tmpfs", "size=100m", 0)
	a := openAt(t, dir)
	var acked, failed int64
	var first error
	for seq := int64(0); failed == 0; seq++ {
		if seq == 200_000 {
			t.Fatal("the disk does not fill up")
		}
		e := nightly("1-a", seq)
		e.Answer = strings.Repeat(e.Answer, 50)
		err := a.Record(ctx, e, func(err error) {
			if err == nil {
				acked++
			} else if first == nil {
				first = err
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if seq%500 == 0 {
			if err := a.Flush(ctx); err != nil {
				failed = seq
			}
		}
	}
	if !errors.Is(first, ErrDisk) || !errors.Is(first, syscall.ENOSPC) {
		t.Errorf("a full disk: %v", first)
	}
	if _, err := a.Append(ctx, LedgerEntry{Kind: "x"}); !errors.Is(err, ErrDisk) {
		t.Errorf("the ledger on a full disk: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	free, _ := freeSpace(dir)
	if err := os.WriteFile(filepath.Join(dir, "other"), make([]byte, free-(1<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{}); !errors.Is(err, ErrDisk) {
		t.Errorf("opening on a full disk: %v", err)
	}
	r := readAt(t, dir)
	closing(t, r)
	if got := collect(t, r.Evaluations(ctx, "1-a", "solver")); int64(len(got)) < acked {
		t.Errorf("%d evaluations of %d acknowledged are there", len(got), acked)
	}
	if err := r.Check(ctx); err != nil {
		t.Error(err)
	}
}

// TestReadOnlyDisk checks that an archive on a disk mounted read-only can be read but
// refuses a writer.
func TestReadOnlyDisk(t *testing.T) {
	source := t.TempDir()
	a := openAt(t, source)
	filled(t, a)
	want := exported(t, a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	dir := mounted(t, "", source, "", unix.MS_BIND)
	if err := unix.Mount("", dir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Skip(err)
	}
	r := readAt(t, dir)
	second := readAt(t, dir)
	for _, r := range []*Archive{r, second} {
		if exported(t, r) != want {
			t.Error("a reader sees something else")
		}
	}
	if err := errors.Join(r.Close(), second.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{}); !errors.Is(err, ErrDisk) || !errors.Is(err, syscall.EROFS) {
		t.Errorf("writing to a read-only disk: %v", err)
	}
}

// TestUnclosedDisk checks that the archive of a killed process can be read unchanged even
// if the disk is full or mounted read-only, and that nothing is written there.
func TestUnclosedDisk(t *testing.T) {
	t.Parallel()
	w := killedArchive(t)
	for name, place := range map[string]func(t *testing.T) string{
		"full": func(t *testing.T) string {
			disk := mounted(t, "tmpfs", "tmpfs", "size=24m", 0)
			if err := copySparse(disk, filepath.Dir(w.dir)); err != nil {
				t.Fatal(err)
			}
			free, _ := freeSpace(disk)
			if err := os.WriteFile(filepath.Join(disk, "other"), make([]byte, free), 0o600); err != nil {
				t.Fatal(err)
			}
			return disk
		},
		"for reading": func(t *testing.T) string {
			disk := mounted(t, "", filepath.Dir(w.copy(t, nil)), "", unix.MS_BIND)
			if err := unix.Mount("", disk, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
				t.Skip(err)
			}
			return disk
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(place(t), filepath.Base(w.dir))
			before := sums(t, dir)
			if _, err := Open(dir, Options{}); !errors.Is(err, ErrDisk) {
				t.Errorf("opening for writing: %v", err)
			}
			first, second := readAt(t, dir), readAt(t, dir)
			if err := first.Refused(); !errors.Is(err, ErrDisk) {
				t.Errorf("refused: %v", err)
			}
			for _, r := range []*Archive{first, second} {
				if exported(t, r) != w.want {
					t.Error("a reader sees something else")
				}
				if r.Refused() == nil {
					t.Error("it was put in order")
				}
				if err := errors.Join(r.Check(t.Context()), r.Close()); err != nil {
					t.Error(err)
				}
			}
			if !maps.Equal(before, sums(t, dir)) {
				t.Error("files were changed")
			}
		})
	}
}

// TestFileSizeLimit checks that a process with a file size limit gets an ErrDisk.
func TestFileSizeLimit(t *testing.T) {
	out, err := child(t, "limited", t.TempDir()).CombinedOutput()
	if err == nil || !strings.Contains(string(out), ErrDisk.Error()) || !strings.Contains(string(out), syscall.EFBIG.Error()) {
		t.Errorf("%v: %s", err, out)
	}
}

// TestPagesAreReleased checks that releasing the pages of mapped files loses no data.
func TestPagesAreReleased(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	a := openAt(t, dir)
	closing(t, a)
	var want []bench.Evaluation
	for seq := range int64(3000) {
		want = append(want, evaluation("1-a", seq))
		if err := a.Record(ctx, want[seq], nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	releasePages(filepath.Join(dir, storeName))
	if got := collect(t, a.Evaluations(ctx, "1-a", "solver")); len(got) != len(want) {
		t.Errorf("%d evaluations", len(got))
	}
	if err := a.Check(ctx); err != nil {
		t.Error(err)
	}
}

// TestDamagedFiles checks that truncated and changed files result in an ErrCorrupt, never
// in a crash or an archive with fewer records.
func TestDamagedFiles(t *testing.T) {
	source := t.TempDir()
	a := openAt(t, source)
	recordMany(t, a, "1-a", 3000, true)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	damage := map[string]func([]byte) []byte{
		"cut":     func(d []byte) []byte { return d[:len(d)*2/3] },
		"stump":   func(d []byte) []byte { return d[:3] },
		"zeroed":  func(d []byte) []byte { clear(d[len(d)/2:]); return d },
		"changed": func(d []byte) []byte { d[len(d)/3] ^= 0x10; return d },
		"index":   func(d []byte) []byte { d[len(d)*9/10] ^= 0x10; return d },
	}
	for name, change := range damage {
		for _, file := range []string{"*.sst", "MANIFEST"} {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
				t.Fatal(err)
			}
			found, err := filepath.Glob(filepath.Join(dir, storeName, file))
			if err != nil || len(found) == 0 {
				t.Fatal(found, err)
			}
			data, err := os.ReadFile(found[0])
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(found[0], change(data), 0o600); err != nil {
				t.Fatal(err)
			}
			a, err := Open(dir, Options{})
			if err == nil {
				a.Close()
			}
			if !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s %s: %v", file, name, err)
			}
			r, err := OpenRead(dir)
			if err == nil {
				for _, scanned := range r.Evaluations(context.Background(), "1-a", "solver") {
					err = scanned
				}
				r.Close()
			}
			if !errors.Is(err, ErrCorrupt) {
				t.Errorf("reading %s %s: %v", file, name, err)
			}
		}
	}
}
