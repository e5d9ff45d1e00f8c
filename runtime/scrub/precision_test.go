package scrub

import (
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// maxChanged is the largest share of lines of ordinary text that may be changed.
const maxChanged = .001

// TestPrecision scrubs texts in which all credentials are made up: this project's own
// text and, if they are present, data sets.
func TestPrecision(t *testing.T) {
	for _, c := range []struct{ name, root string }{
		{"the project", "../.."},
		{"the starter suite", "../../cmd/evolve/internal/workspace/scaffold/_workspace"},
		{"a compiler", filepath.Join(build.Default.GOROOT, "src", "cmd", "compile")},
		{"data sets", os.Getenv("EVOLVE_DATA")},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := os.Stat(c.root); c.root == "" || err != nil {
				t.Skip("not here")
			}
			lines, changed := 0, 0
			s := New(nil)
			err := filepath.WalkDir(c.root, func(path string, d fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				if d.IsDir() {
					if name := d.Name(); name == ".git" || name == "testdata" && c.root != "../.." || name == "scrub" {
						return filepath.SkipDir
					}
					return nil
				}
				if info, err := d.Info(); err != nil || info.Size() > 8<<20 || !d.Type().IsRegular() {
					return err
				}
				text, err := os.ReadFile(path)
				if err != nil || strings.Contains(string(text[:min(len(text), 512)]), "\x00") {
					return err
				}
				lines += strings.Count(string(text), "\n") + 1
				if s.Flags(string(text)) {
					for i, line := range strings.Split(string(text), "\n") {
						if out := s.String(line); out != line {
							changed++
							t.Logf("%s:%d: %.160q became %.160q", strings.TrimPrefix(path, c.root), i+1, line, out)
						}
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d of %d lines changed (%.4f %%)", changed, lines, 100*float64(changed)/float64(lines))
			if float64(changed) > maxChanged*float64(lines) {
				t.Errorf("%d of %d lines changed", changed, lines)
			}
		})
	}
}
