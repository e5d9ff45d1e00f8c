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
	// must means that the steps after it are pointless when it fails.
	must bool
	// compiles means that it runs only the toolchain.
	compiles bool
}

// stepResult is how a step ended.
type stepResult struct {
	ran  bool
	code int
	// stdout is a file with what the step printed, as that may be a lot.
	stdout string
	// stderr is its beginning, for people.
	stderr string
}

func (r stepResult) ok() bool { return r.ran && r.code == 0 }

// errTime means that commands were ended because they took too long.
var errTime = errors.New("it did not end in time")

// maxSaid bounds what is kept of a command's words for people, in bytes.
const maxSaid = 64 << 10

// script runs steps of the toolchain one after another inside one sandbox, so that
// what one compiles is there for the next. None of the code that it compiles runs.
// stuff is a folder that the steps write to, at stuffPlace inside the sandbox; the results
// are there too.
func (r goEnv) script(ctx context.Context, m module, stuff string, steps []step) (map[string]stepResult, error) {
	there := r.lab.inside(stuff, stuffPlace)
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
		s.Shown = append(s.Shown, sandbox.Shown{Source: stuff, Path: stuffPlace, Writable: true})
	}
	timed, cancel := context.WithTimeout(ctx, r.limits.Build)
	defer cancel()
	exit, out, err := r.lab.Sandbox.Run(timed, s, nil, maxSaid)
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
		n := filepath.Join(stuff, "step-"+strconv.Itoa(i))
		code, err := os.ReadFile(n + ".code")
		if errors.Is(err, os.ErrNotExist) {
			break // stopped before
		}
		if err != nil {
			return nil, err
		}
		res := stepResult{ran: true, stdout: n + ".out"}
		if res.code, err = strconv.Atoi(strings.TrimSpace(string(code))); err != nil {
			return nil, fmt.Errorf("reading how %s ended: %w", s.name, err)
		}
		if res.stderr, err = beginning(n + ".err"); err != nil {
			return nil, err
		}
		results[s.name] = res
	}
	return results, nil
}

// generous are settings by which the toolchain, most of whose processes are short and
// small, collects garbage only when it would otherwise take more than its share of half
// the memory, if the machine has no more processors than make that worthwhile. They
// change nothing of what is compiled, and are not for tests, which could tell.
func (r goEnv) generous() string {
	const worthwhile = 256 << 20
	share := r.limits.Memory / 2 / uint64(runtime.NumCPU())
	if share < worthwhile {
		return ""
	}
	return fmt.Sprintf("GOGC=off GOMEMLIMIT=%d ", share)
}

// ending describes how a program ended, for people.
func ending(e sandbox.Exit) string {
	switch {
	case e.Reason != sandbox.Own:
		return string(e.Reason)
	case e.Signal != 0:
		return "signal " + strconv.Itoa(e.Signal)
	}
	return "exit code " + strconv.Itoa(e.Code)
}

func beginning(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	buf := make([]byte, maxSaid)
	n, err := f.Read(buf)
	if n == 0 {
		return "", nil
	}
	return string(buf[:n]), err
}

// quote is a word as the shell takes it for itself.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
