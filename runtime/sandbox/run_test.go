package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestRun(t *testing.T) {
	test := func(t *testing.T, w Sandbox) {
		large := []byte(strings.Repeat("x", 1<<20))
		for name, c := range map[string]struct {
			script string
			want   Output
			code   int
		}{
			"both outputs":         {"echo out; echo err >&2; exit 2", Output{Stdout: []byte("out\n"), Stderr: []byte("err\n")}, 2},
			"reads its input":      {"wc -c | tr -d ' '", Output{Stdout: []byte("1048576\n")}, 0},
			"leaves its input":     {"exec <&-; echo ok", Output{Stdout: []byte("ok\n")}, 0},
			"writes a lot":         {"head -c 300000 /dev/zero | tr '\\0' y", Output{Stdout: []byte(strings.Repeat("y", 50)), Truncated: true}, 0},
			"leaves a child":       {"sleep 1000 & echo ok", Output{Stdout: []byte("ok\n")}, 0},
			"writes more to both ": {"yes a | head -c 300000 >&2", Output{Stderr: []byte(strings.Repeat("a\n", 25)), Truncated: true}, 0},
		} {
			exit, got, err := w.Run(t.Context(), sh(t.TempDir(), c.script), large, 50)
			if err != nil || exit.Code != c.code || got.Truncated != c.want.Truncated ||
				string(got.Stdout) != string(c.want.Stdout) || string(got.Stderr) != string(c.want.Stderr) {
				t.Errorf("%s: %+v, %q, %q, %t, %v", name, exit, got.Stdout, got.Stderr, got.Truncated, err)
			}
		}
		// The program reports through a named pipe that it has started and read its
		// input; then its context is cancelled.
		dir := t.TempDir()
		if err := syscall.Mkfifo(filepath.Join(dir, "there"), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			defer cancel()
			if _, err := os.ReadFile(filepath.Join(dir, "there")); err != nil {
				t.Error(err)
			}
		}()
		s := sh(dir, "head -c 1 > /dev/null; echo out; echo x > there; sleep 1000")
		s.Writable = []string{dir}
		exit, got, err := w.Run(ctx, s, large, 50)
		if want := (Exit{Code: -1, Signal: 9, Reason: Killed}); !errors.Is(err, context.Canceled) || exit != want || string(got.Stdout) != "out\n" {
			t.Errorf("%+v, %q, %v", exit, got.Stdout, err)
		}
	}
	every(t, test)
	t.Run("none", func(t *testing.T) { test(t, None("a test")) })
}

// TestRunBoundsTheOutput checks that a program that writes without end is ended together
// with its descendants once it exceeds the limit for one output, and that the reason is
// reported. A program within the limit is not ended, and neither is a program for which
// only the kept part of the output is limited.
func TestRunBoundsTheOutput(t *testing.T) {
	test := func(t *testing.T, w Sandbox) {
		over := Exit{Code: -1, Signal: 9, Reason: OverOutput}
		for name, c := range map[string]struct {
			script string
			limit  uint64
			want   Exit
			kept   string
		}{
			"without end":       {"yes a", 1000, over, strings.Repeat("a\n", 25)},
			"to the error":      {"yes a >&2", 1000, over, ""},
			"of a child":        {"trap '' TERM; (yes a) & wait", 1000, over, strings.Repeat("a\n", 25)},
			"a little too much": {"printf %0100d 0 | tr 0 b; printf c", 100, over, strings.Repeat("b", 50)},
			"all that it may":   {"printf %0100d 0 | tr 0 b; exit 3", 100, Exit{Code: 3}, strings.Repeat("b", 50)},
			"only the head":     {"head -c 300000 /dev/zero | tr '\\0' y", 0, Exit{}, strings.Repeat("y", 50)},
		} {
			s := sh(t.TempDir(), c.script)
			s.Limits.Output = c.limit
			exit, got, err := w.Run(t.Context(), s, nil, 50)
			if err != nil || exit != c.want || string(got.Stdout) != c.kept {
				t.Errorf("%s: %+v, %q, %v", name, exit, got.Stdout, err)
			}
		}
	}
	every(t, test)
	t.Run("none", func(t *testing.T) { test(t, None("a test")) })
}
