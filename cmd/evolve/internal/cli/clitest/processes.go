package clitest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"evolve/runtime/text"
)

func scriptExit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE PROGRAM ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var failed *exec.ExitError
		if !errors.As(err, &failed) {
			ts.Fatalf("%v", err)
		}
		got = failed.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// scriptTerminal runs a program with script(1), which provides a terminal. Everything that
// the terminal shows becomes standard output. The terminal has COLS columns, 80 by default.
func scriptTerminal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: terminal CODE INPUT PROGRAM ARG…")
	}
	words := make([]string, len(args)-2)
	for i, a := range args[2:] {
		words[i] = text.ShellQuote(a)
	}
	scriptExit(ts, false, []string{args[0], "sh", "-c", "script -qec " + text.ShellQuote("stty cols "+cmp.Or(ts.Getenv("COLS"), "80")+" rows 24; "+strings.Join(words, " ")) + " /dev/null < " + text.ShellQuote(ts.MkAbs(args[1]))})
}

// scriptGone requires that no process has a given word in its command line or, with !,
// that at least one process does.
func scriptGone(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: gone WORD")
	}
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	ts.Check(err)
	there := ""
	for _, name := range lines {
		// A file that cannot be read belongs to a process that has ended.
		if data, err := os.ReadFile(name); err == nil && bytes.Contains(data, []byte(args[0])) {
			there += fmt.Sprintf("%s is still there: %q\n", name, data)
		}
	}
	if neg != (there != "") {
		ts.Fatalf("%s", cmp.Or(there, "there is no such process"))
	}
}
