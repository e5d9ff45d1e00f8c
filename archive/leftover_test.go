package archive

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestLeftover checks that the leftovers of a killed import beside an archive are
// reported, and are removed when the archive is next opened for writing, but that the
// files of a running import stay.
func TestLeftover(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	export := filepath.Join(t.TempDir(), "export")
	a := openAt(t, dir)
	filled(t, a)
	if err := os.WriteFile(export, []byte(exported(t, a)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	room := dir + buildingSuffix
	named := func(want string) {
		t.Helper()
		if got := must(Leftover(dir))(t); got != want {
			t.Errorf("left over is %q, not %q", got, want)
		}
	}
	reopened := func() {
		t.Helper()
		a := openAt(t, dir)
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	named("")
	cmd, _ := readyChild(t, "import", dir, export, "beside") // replaces the archive
	named("")
	reopenedStays := func() {
		t.Helper()
		if _, err := os.Stat(room); err != nil {
			t.Error(err)
		}
	}
	reopenedStays()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	if err := os.RemoveAll(dir + ".old"); err != nil {
		t.Fatal(err)
	}
	named(room)
	reopened()
	named("")
	if _, err := os.Lstat(room); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is there: %v", err)
	}
	r := readAt(t, dir)
	closing(t, r)
	if data, err := os.ReadFile(export); err != nil || !bytes.Equal(data, []byte(exported(t, r))) {
		t.Errorf("the archive has changed: %v", err)
	}
}
