package clitest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"evolve/cmd/evolve/internal/cli"
)

// scriptHasty runs a command in this process, without delays between retries, and checks
// its exit code. Its output goes to OUT and OUT.err.
func scriptHasty(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: hasty CODE OUT ARG…")
	}
	inProcess(ts, time.Now, args)
}

// scriptLater is like scriptHasty, but runs the command with a clock that is some days
// ahead.
func scriptLater(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: later DAYS CODE OUT ARG…")
	}
	days, err := strconv.Atoi(args[0])
	ts.Check(err)
	inProcess(ts, func() time.Time { return time.Now().AddDate(0, 0, days) }, args[1:])
}

// inProcess runs a command in this process. In args, the command follows an expected exit
// code and the name of a file for its output.
func inProcess(ts *testscript.TestScript, now func() time.Time, args []string) {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "EVOLVE") })
	for _, name := range []string{"HOME", "PATH", "LM_KEY", "CLAUDE_KEY", "AGENT_AUTH"} {
		env = append(env, name+"="+ts.Getenv(name))
	}
	var stdout, stderr bytes.Buffer
	code := cli.Run(context.Background(), cli.Process{
		Args: args[2:], Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Env: env, Dir: ts.MkAbs("."), Now: now,
		Sleep: func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }, Release: func() {},
	})
	ts.Logf("[stdout]\n%s[stderr]\n%s", stdout.String(), stderr.String())
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), stdout.Bytes(), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs(args[1])+".err", stderr.Bytes(), 0o600))
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}
