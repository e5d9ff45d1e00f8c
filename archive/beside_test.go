package archive

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestKilledImport kills a process at each point of an import and checks that the
// archive's path holds nothing or the whole archive, and that the import can be repeated.
func TestKilledImport(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := OpenMemory()
	closing(t, a)
	filled(t, a)
	text := exported(t, a)
	export := filepath.Join(t.TempDir(), "export.jsonl")
	if err := os.WriteFile(export, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, point := range []string{"begun", "half", "filled", "synced", "moved"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "archive")
			kill(t, "import", dir, export, point)
			r, err := OpenRead(dir)
			if point == "moved" {
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(r.Check(ctx), r.Close()); err != nil {
					t.Error(err)
				}
				if err := ImportAt(ctx, dir, strings.NewReader(text), Building{}); !errors.Is(err, ErrNotEmpty) {
					t.Errorf("repeated over a whole archive: %v", err)
				}
				return
			}
			if !errors.Is(err, ErrNotFound) {
				t.Fatalf("what stands at the archive's place: %v", err)
			}
			if err := ImportAt(ctx, dir, strings.NewReader(text), Building{}); err != nil {
				t.Fatal(err)
			}
			r = readAt(t, dir)
			closing(t, r)
			if !slices.Equal(native(exported(t, r)), native(text)) {
				t.Error("the repeated import differs")
			}
			if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) != 2 { // with its witness
				t.Errorf("left beside the archive: %v %v", left, err)
			}
		})
	}
}

// kill starts a child in a role and kills it once it has printed "ready".
func kill(t *testing.T, role string, args ...string) {
	t.Helper()
	cmd := child(t, role, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err := errors.Join(err, cmd.Process.Kill()); err != nil || line != "ready\n" {
		t.Errorf("the child wrote %q: %v", line, err)
	}
	_ = cmd.Wait() // killed
}

// TestKilledReplacement checks that a process killed between the two renames leaves the
// old archive at its path and the new one beside it.
func TestKilledReplacement(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "archive")
	a := openAt(t, dir)
	filled(t, a)
	text := exported(t, a)
	if err := errors.Join(a.PutRun(ctx, Run{ID: "11-old", Number: 11}), a.Close()); err != nil {
		t.Fatal(err)
	}
	export := filepath.Join(t.TempDir(), "export.jsonl")
	if err := os.WriteFile(export, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	kill(t, "import", dir, export, "beside")
	has := func(dir string, old bool) {
		t.Helper()
		r := readAt(t, dir)
		_, err := r.Run(ctx, "11-old")
		if (err == nil) != old {
			t.Errorf("%s: the old archive is %v, not %v", filepath.Base(dir), err == nil, old)
		}
		if err := errors.Join(r.Check(ctx), r.Close()); err != nil {
			t.Error(err)
		}
	}
	has(dir, true)
	has(dir+".old", false)
	// An existing name is refused, and another name works.
	if err := ImportAt(ctx, dir, strings.NewReader(text), Building{Aside: dir + ".old"}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("aside over something: %v", err)
	}
	if err := ImportAt(ctx, dir, strings.NewReader(text), Building{Aside: dir + ".old-2"}); err != nil {
		t.Fatal(err)
	}
	has(dir, false)
	has(dir+".old-2", true)
}

// TestBesideBusy checks that a second build is given the owner of the first, and that an
// archive created meanwhile is not overwritten.
func TestBesideBusy(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "archive")
	make := func(ctx context.Context, dir string) error {
		a, err := Open(dir, Options{})
		if err != nil {
			return err
		}
		return a.Close()
	}
	err := Beside(ctx, dir, Building{Owner: "evolve archive import"}, func(ctx context.Context, built string) error {
		var locked *LockedError
		if err := Beside(ctx, dir, Building{}, make); !errors.As(err, &locked) || locked.Owner != "evolve archive import" {
			t.Errorf("a second building: %v", err)
		}
		return errors.Join(make(ctx, built), make(ctx, dir))
	})
	if !errors.Is(err, ErrNotEmpty) {
		t.Errorf("over an archive that was begun meanwhile: %v", err)
	}
	if _, err := os.Stat(dir + buildingSuffix); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was left: %v", err)
	}
	boom := errors.New("boom")
	other := dir + "-2"
	if err := Beside(ctx, other, Building{Verify: func(context.Context, *Archive) error { return boom }}, make); !errors.Is(err, boom) {
		t.Errorf("what is not verified: %v", err)
	}
	if _, err := os.Stat(other); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is not verified is put in place: %v", err)
	}
}

// TestRestoreOlder restores the backup that a migration writes, and then migrates the
// restored archive again.
func TestRestoreOlder(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	a := openAt(t, dir)
	filled(t, a)
	tamper(t, a, func(b *batch) {
		b.put(schemaKey(), encodeNumber(0))
		b.put(newKey('0').text("old"), []byte("text"))
	})
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	steps := map[uint64]migration{0: func(ctx context.Context, store engine) error {
		var b batch
		err := store.scan(ctx, newKey('0'), nil, func(k, v []byte) error {
			b.put(append(key("1"), k[1:]...), bytes.ToUpper(v))
			return nil
		})
		return errors.Join(err, store.write(&b))
	}}
	a, err := Open(dir, Options{steps: steps})
	if err != nil {
		t.Fatal(err)
	}
	text := exported(t, a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	backup, err := os.ReadFile(filepath.Join(dir, "schema-0.backup"))
	if err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(t.TempDir(), "archive")
	if _, err := Restore(ctx, again, bytes.NewReader(backup), Building{}); !errors.Is(err, ErrCorrupt) {
		t.Errorf("without a step from that schema: %v", err)
	}
	if _, err := Restore(ctx, again, bytes.NewReader(backup), Building{steps: steps}); err != nil {
		t.Fatal(err)
	}
	r := readAt(t, again)
	closing(t, r)
	if exported(t, r) != text {
		t.Error("what was restored differs")
	}
	if v, err := getOne(ctx, r.store, newKey('1').text("old")); string(v) != "TEXT" {
		t.Errorf("brought forward: %q %v", v, err)
	}
}
