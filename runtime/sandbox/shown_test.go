package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree writes files below a new folder.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestShown(t *testing.T) {
	each(t, func(t *testing.T, w Sandbox) {
		read := tree(t, map[string]string{"pkg/f": "read ", "pkg/program": "#!/bin/sh\npwd\ncat f"})
		write := tree(t, map[string]string{"f": "write "})
		s := Spec{
			Argv: []string{"./program"}, Dir: "/src/pkg",
			Shown: []Shown{{Source: read, Path: "/src"}, {Source: write, Path: "/deep/out", Writable: true}, {Source: write + "/f", Path: "/one"}},
		}
		if got, exit := output(t, w, s); got != "/src/pkg\nread " {
			t.Errorf("wrote %q, %+v", got, exit)
		}
		s.Argv = []string{"sh", "-c", "cat /src/pkg/f /deep/out/f /one; echo x > /deep/out/new; echo x > /src/pkg/new; ls -d " + read + " " + write}
		got, _ := output(t, w, s)
		want := "read write write sh: 1: cannot create /src/pkg/new: Read-only file system\n"
		if len(got) < len(want) || got[:len("read write write ")] != want[:len("read write write ")] {
			t.Errorf("wrote %q", got)
		}
		for path, there := range map[string]bool{write + "/new": true, read + "/pkg/new": false} {
			if _, err := os.Stat(path); (err == nil) != there {
				t.Errorf("%s: %v", path, err)
			}
		}
		for _, bad := range []Shown{{Source: "/", Path: "/x"}, {Source: read, Path: "/"}, {Source: read, Path: "/proc/x"}, {Source: read + "/absent", Path: "/x"}, {Source: "x", Path: "/x"}} {
			if _, err := w.Start(t.Context(), Spec{Argv: []string{"sh"}, Dir: read, Shown: []Shown{bad}}); err == nil {
				t.Errorf("%+v is shown", bad)
			}
		}
	})
}

func TestLayers(t *testing.T) {
	w := namespaces(t)
	lower := tree(t, map[string]string{"keep": "keep ", "change": "old ", "remove": "", "sub,:dir/f": "deep "})
	s := Spec{
		Argv: []string{"sh", "-c", "cat keep change 'sub,:dir/f'; rm remove; echo new > change; echo x > fresh; mv keep kept; ls; cat change; head -c 2000000 /dev/zero > big || echo full"},
		Dir:  "/cache", Layers: []Layer{{Lower: lower, Path: "/cache", Size: 1 << 20}},
	}
	got, exit := output(t, w, s)
	want := "keep old deep change\nfresh\nkept\nsub,:dir\nnew\nhead: error writing 'standard output': No space left on device\nfull\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%+v\n%s", exit, diff)
	}
	left, err := filepath.Glob(lower + "/*")
	if err != nil {
		t.Fatal(err)
	}
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	if diff := cmp.Diff([]string{"change", "keep", "remove", "sub,:dir"}, left); diff != "" {
		t.Errorf("what is below was changed\n%s", diff)
	}
	if text, err := os.ReadFile(lower + "/change"); err != nil || string(text) != "old " {
		t.Errorf("what is below reads %q, %v", text, err)
	}
	if _, err := wallsOf(isolateBubblewrap).Start(t.Context(), s); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("bubblewrap: %v", err)
	}
}
