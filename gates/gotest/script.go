package gotest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"evolve/runtime/sandbox"
)

// step is one command of a script.
type step struct {
	name string
	argv []string
	// must reports whether the remaining steps are skipped if this step fails.
	must bool
	// compiles reports whether the step runs only the toolchain.
	compiles bool
}

// stepResult is the result of a step.
type stepResult struct {
	ran  bool
	code int
	// stdout is the path of the file that holds the step's output, which can be large.
	stdout string
	// stderr is the beginning of the step's error output.
	stderr string
}

func (r stepResult) ok() bool { return r.ran && r.code == 0 }

// errTime is returned if commands were ended because they took too long.
var errTime = errors.New("the time limit was reached")

// maxOutput is the maximum number of bytes of a command's error output that are retained.
const maxOutput = 64 << 10

// script runs toolchain steps one after another inside one sandbox, so that later steps can
// use what earlier steps compiled. None of the compiled code runs. scratch is a folder for
// the files and results of the steps; inside the sandbox it is at scratchPlace.
func (r goEnv) script(ctx context.Context, m module, scratch string, steps []step) (map[string]stepResult, error) {
	there := r.lab.inside(scratch, scratchPlace)
	var text strings.Builder
	for i, s := range steps {
		n := filepath.Join(there, "step-"+strconv.Itoa(i))
		if s.compiles {
			text.WriteString(r.generous())
		}
		for _, word := range s.argv {
			text.WriteString(quote(word) + " ")
		}
		fmt.Fprintf(&text, "</dev/null >%s 2>%s\ncode=$?\necho $code >%s\n", quote(n+".out"), quote(n+".err"), quote(n+".code"))
		if s.must {
			text.WriteString("test $code = 0 || exit 0\n")
		}
	}
	s := r.spec(m, true)
	s.Argv, s.Dir = []string{"/bin/sh", "-c", text.String()}, r.at(m.dir)
	if r.lab.sandboxed() {
		s.Shown = append(s.Shown, sandbox.Shown{Source: scratch, Path: scratchPlace, Writable: true})
	}
	timed, cancel := context.WithTimeout(ctx, r.limits.Build)
	defer cancel()
	exit, out, err := r.lab.Sandbox.Run(timed, s, nil, maxOutput)
	switch {
	case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("%w: %v", errTime, r.limits.Build.Round(time.Second))
	case err != nil:
		return nil, err
	case exit.Reason != sandbox.Own || exit.Code != 0:
		return nil, fmt.Errorf("the commands ended early (%s): %s", ending(exit), strings.TrimSpace(string(out.Stderr)))
	}
	results := map[string]stepResult{}
	for i, s := range steps {
		n := filepath.Join(scratch, "step-"+strconv.Itoa(i))
		code, err := os.ReadFile(n + ".code")
		if errors.Is(err, os.ErrNotExist) {
			break // stopped before
		}
		if err != nil {
			return nil, err
		}
		res := stepResult{ran: true, stdout: n + ".out"}
		if res.code, err = strconv.Atoi(strings.TrimSpace(string(code))); err != nil {
			return nil, fmt.Errorf("reading the exit code of %s: %w", s.name, err)
		}
		if res.stderr, _, err = reported(n+".err", maxOutput); err != nil {
			return nil, err
		}
		results[s.name] = res
	}
	return results, nil
}

// generous returns garbage collector settings for the toolchain, whose processes are mostly
// short-lived and small. With them, a process collects garbage only when its memory comes
// near its share of half the memory limit. generous returns "" on machines with so many
// processors that this share would be too small. The settings do not change the compiled
// code. They must not be used for tests, which could detect them.
func (r goEnv) generous() string {
	const worthwhile = 256 << 20
	share := r.limits.Memory / 2 / uint64(runtime.NumCPU())
	if share < worthwhile {
		return ""
	}
	return fmt.Sprintf("GOGC=off GOMEMLIMIT=%d ", share)
}

// ending describes how a program ended.
func ending(e sandbox.Exit) string {
	switch {
	case e.Reason != sandbox.Own:
		return string(e.Reason)
	case e.Signal != 0:
		return "signal " + strconv.Itoa(e.Signal)
	}
	return "exit code " + strconv.Itoa(e.Code)
}

// quote quotes a word for the shell.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
