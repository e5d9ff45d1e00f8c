package render

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/reports/model"
)

var update = flag.Bool("update", false, "write the golden files anew")

// worlds are the nights recorded in the golden files.
var worlds = map[string]func(testing.TB, int) *world{"adopt": adoptWorld, "keep": keepWorld, "undecided": undecidedWorld, "older": olderWorld, "patches": patchesWorld}

// renderings contains all forms of a report, keyed by file name.
var renderings = map[string]func(io.Writer, model.Report) error{
	"80.txt":  func(w io.Writer, r model.Report) error { return Terminal(w, r, TerminalOptions{}) },
	"50.txt":  func(w io.Writer, r model.Report) error { return Terminal(w, r, TerminalOptions{Width: 50}) },
	"box.txt": func(w io.Writer, r model.Report) error { return Box(w, r, TerminalOptions{}) },
	"md":      Markdown,
	"json":    JSON,
}

func TestGolden(t *testing.T) {
	for name, make := range worlds {
		r := make(t, 0).report()
		for ext, render := range renderings {
			t.Run(name+"."+ext, func(t *testing.T) {
				golden(t, name+"."+ext, rendered(t, render, r))
			})
		}
	}
}

func rendered(t testing.TB, render func(io.Writer, model.Report) error, r model.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := render(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); run with -update when that is meant\n%s", name, diff)
	}
}
