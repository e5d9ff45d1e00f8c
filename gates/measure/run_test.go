package measure

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"evolve/bench/gobench"
	"evolve/runtime/sandbox"
)

// built returns a compiled benchmark that is a script.
func built(t *testing.T, script string) (*Runner, *Built) {
	t.Helper()
	folder := t.TempDir()
	r := &Runner{Sandbox: sandbox.None("a test"), Unwalled: true, Folder: folder, Pattern: "."}
	b := &Built{tree: folder, bin: folder, binaries: []binary{{"0.test", folder}, {"1.test", folder}}}
	for _, bin := range b.binaries {
		if err := os.WriteFile(filepath.Join(folder, bin.file), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return r, b
}

func TestRun(t *testing.T) {
	r, b := built(t, `printf 'pkg: example.org/%s\nBenchmarkA-2\t5\t20 work/op\n' "${0##*/}"`)
	run, err := r.Run(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"example.org/0.test.BenchmarkA-2", "example.org/1.test.BenchmarkA-2"} {
		if got := run[gobench.Key{Benchmark: name, Unit: "work/op"}]; len(got) != 1 || got[0] != 20 {
			t.Errorf("%s: %v of %v", name, got, run)
		}
	}
	if err := r.Test(t.Context(), b); err != nil {
		t.Error(err)
	}
}

// TestWhoIsToBlame checks that faults of the code are distinguished from faults of the
// machine.
func TestWhoIsToBlame(t *testing.T) {
	ended, end := context.WithCancelCause(t.Context())
	end(errors.New("stopped"))
	slow, cancel := context.WithTimeoutCause(t.Context(), 0, errSlow)
	defer cancel()
	for name, c := range map[string]struct {
		script, says string
		ctx          context.Context
		code         bool
	}{
		"a failure":         {"echo 'index out of range'; exit 2", "code 2", t.Context(), true},
		"too much is said":  {"yes | head -c 5000000", "printed too much", t.Context(), true},
		"it takes too long": {"echo", "did not finish in time", slow, true},
		"a person stops it": {"echo", "stopped", ended, false},
		"nothing is wrong":  {"echo", "", t.Context(), false},
	} {
		t.Run(name, func(t *testing.T) {
			r, b := built(t, c.script)
			err := r.Test(c.ctx, b)
			var code *CodeError
			if (err != nil) != (c.says != "") || errors.As(err, &code) != c.code || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestNoWalls checks that foreign code does not run without a sandbox unless the operator
// allows it.
func TestNoWalls(t *testing.T) {
	r, b := built(t, "touch ran")
	r.Unwalled = false
	if _, err := r.Run(t.Context(), b); err == nil || !strings.Contains(err.Error(), "without a sandbox") {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(r.Folder, "ran")); err == nil {
		t.Error("it ran")
	}
}

// TestMeasure checks that the sides run in turn and equally often, and that an error from
// the function that is called before each run ends the measurement.
func TestMeasure(t *testing.T) {
	r, b := built(t, `printf 'BenchmarkA-2\t5\t20 work/op\n'`)
	sides := map[gobench.Side]*Built{gobench.Base: b, gobench.Again: b, gobench.Candidate: b}
	m, err := r.Measure(t.Context(), sides, 2, 1, nil)
	if err != nil || len(m.Base) != 2 || len(m.Again) != 2 || len(m.Candidate) != 2 {
		t.Errorf("%+v %v", m, err)
	}
	stop, asked := errors.New("stop"), 0
	_, err = r.Measure(t.Context(), sides, 2, 1, func() error {
		if asked++; asked == 3 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || asked != 3 {
		t.Errorf("asked %d times, %v", asked, err)
	}
}
