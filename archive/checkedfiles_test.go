//go:build linux

package archive

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestChecked checks that a reading process finds in the list what it would find by
// reading every file. The process must not read a listed file unless the file has changed
// since it was listed. It must detect such a change even if the file's size is the same.
func TestChecked(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(closedArchive(t).dir, storeName)
	files, err := listStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Concat(files.tables, files.values)
	if len(files.tables) == 0 || len(files.values) == 0 {
		t.Fatalf("the store has %v", names)
	}
	for _, name := range names { // a change to a file then changes its times, whatever the clock's resolution
		if err := os.Chtimes(filepath.Join(dir, name), day, day); err != nil {
			t.Fatal(err)
		}
	}
	whole := storeCheck{dir: dir}
	if err := whole.run(); err != nil || whole.unlisted != len(names) {
		t.Fatal(whole.unlisted, err)
	}
	whole.checked.store(dir, time.Now().Add(time.Hour))
	listed := func() *storeCheck { return &storeCheck{dir: dir, listed: true} }
	c := listed()
	if err := c.run(); err != nil || c.unlisted != 0 || c.written != whole.written {
		t.Errorf("%d files were read, up to transaction %d of %d: %v", c.unlisted, c.written, whole.written, err)
	}
	if d := cmp.Diff(whole.points, c.points) + cmp.Diff(whole.checked, c.checked); d != "" {
		t.Error(d)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			data, size, err := content(path)
			if err != nil {
				t.Fatal(err)
			}
			flip(uint64(len(data))*4)(t, path)
			want := (&storeCheck{dir: dir}).run()
			if got := listed().run(); want == nil || got == nil || got.Error() != want.Error() {
				t.Errorf("damaged: %v, and by reading every file %v", got, want)
			}
			if err := put(path, data, size); err != nil {
				t.Fatal(err)
			}
		})
	}
	if err := os.WriteFile(filepath.Join(dir, checkedName), []byte(`{"000001.sst"`), 0o600); err != nil {
		t.Fatal(err)
	}
	if c := listed(); c.run() != nil || c.unlisted != len(names) {
		t.Errorf("of a list that is cut, %d of %d files were read", c.unlisted, len(names))
	}
}

// TestCopyOfLost checks that a backup and an export fail if the disk has lost part of a
// table since the table was listed, even if the table's stamp does not show the loss.
func TestCopyOfLost(t *testing.T) {
	t.Parallel()
	w := closedArchive(t)
	dir := filepath.Join(w.dir, storeName)
	whole := storeCheck{dir: dir}
	if err := whole.run(); err != nil {
		t.Fatal(err)
	}
	table := fileOf(t, w.dir, "*.sst")
	flip(200)(t, table)
	info, err := os.Stat(table)
	if err != nil {
		t.Fatal(err)
	}
	f := whole.checked[filepath.Base(table)]
	f.Stamp, _ = stampOf(info)
	whole.checked[filepath.Base(table)] = f
	whole.checked.store(dir, time.Now().Add(time.Hour))
	r := readAt(t, w.dir)
	closing(t, r)
	_, backup := r.BackupFile(t.Context(), filepath.Join(t.TempDir(), "backup"), false)
	for what, err := range map[string]error{"backup": backup, "export": r.Export(t.Context(), io.Discard), "CSV": r.ExportCSV(t.Context(), io.Discard)} {
		if damage := new(DamageError); !errors.As(err, &damage) || damage.File != filepath.Base(table) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestCheckedAtOnce checks that a file that changed a moment ago is not listed, because
// another change could leave its times as they are.
func TestCheckedAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, two := checkedFile{Stamp: stamp{Size: 1, Changed: day.UnixNano()}}, checkedFile{Stamp: stamp{Size: 2, Changed: day.Add(-settled - 1).UnixNano()}}
	checkedFiles{"1.vlog": one, "2.vlog": two}.store(dir, day)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if d := cmp.Diff(checkedFiles{"2.vlog": two}, readChecked(root)); d != "" {
		t.Error(d)
	}
}
