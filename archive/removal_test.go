package archive

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestKilledRemoval checks that files that a process was removing when it was killed do not
// count as damage. Badger truncates a file to nothing before it removes it, and its
// manifest names no removed table. A file whose content counts is still missed.
func TestKilledRemoval(t *testing.T) {
	t.Parallel()
	in := func(dir, name string) string { return filepath.Join(dir, storeName, name) }
	empty := func(name string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			if err := os.WriteFile(in(dir, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for kind, w := range map[string]wreck{"closed": closedArchive(t), "killed": killedArchive(t)} {
		for name, c := range map[string]struct {
			leave func(t *testing.T, dir string)
			want  outcome
		}{
			"a log":   {empty("000000.vlog"), kept},
			"a table": {empty("000900.sst"), kept},
			"a table that others cover": {func(t *testing.T, dir string) {
				t.Helper()
				fileAs(t, fileOf(t, dir, "*.sst"), in(dir, "000900.sst"))
			}, kept},
			"a log with values": {func(t *testing.T, dir string) {
				t.Helper()
				if err := os.Truncate(fileOf(t, dir, "*.vlog"), 0); err != nil {
					t.Fatal(err)
				}
			}, refused},
			"a table of the manifest": {func(t *testing.T, dir string) {
				t.Helper()
				if err := os.Truncate(fileOf(t, dir, "*.sst"), 0); err != nil {
					t.Fatal(err)
				}
			}, refused},
		} {
			for _, write := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/write=%v", kind, name, write), func(t *testing.T) {
					t.Parallel()
					if got, err := w.tried(t, w.copy(t, c.leave), write); got != c.want {
						t.Errorf("%v, want %v: %v", got, c.want, err)
					}
				})
			}
		}
	}
}
