package scan

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
)

// TestHonestSource scans this program's own source as if a patch added all of it: nothing
// in it may be fatal, and few files may be flagged. It measures false positives; the
// probes measure detection.
func TestHonestSource(t *testing.T) {
	var list []Source
	root := os.DirFS("../..")
	for _, dir := range []string{"runtime", "bench", "archive", "mutate", "patch", "gates", "reports"} {
		err := fs.WalkDir(root, dir, func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), "_")):
				return fs.SkipDir
			case d.IsDir() || path.Ext(p) != ".go" || strings.HasSuffix(p, "_test.go"):
				return nil
			}
			text, err := fs.ReadFile(root, p)
			list = append(list, Source{Path: p, New: text})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(list) < 100 {
		t.Fatalf("only %d files to read", len(list))
	}
	flagged := map[string]bool{}
	for _, f := range Go(list) {
		// The sandbox starts this program again inside the sandbox, and that process ends
		// before main. This is the only honest exit in an initialiser.
		if f.Fatal && !(f.Rule == "exit" && path.Dir(f.Path) == "runtime/sandbox") {
			t.Errorf("fatal: %s", f)
		}
		flagged[f.Path] = true
	}
	t.Logf("%d of %d files are flagged", len(flagged), len(list))
	if len(flagged) > len(list)/4 {
		t.Errorf("%d of %d files are flagged", len(flagged), len(list))
	}
}
