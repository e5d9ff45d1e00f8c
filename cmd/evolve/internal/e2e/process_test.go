//go:build unix

package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// binary is the program under test.
var binary string

func TestMain(m *testing.M) { os.Exit(build(m.Run)) }

func build(run func() int) int {
	dir, err := os.MkdirTemp("", "evolve-trial-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary = filepath.Join(dir, "evolve")
	if out, err := exec.Command("go", "build", "-o", binary, "evolve/cmd/evolve").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the program: %v\n%s", err, out)
		return 1
	}
	return run()
}

// stuck is the time after which a process counts as hanging, and stuckModel is that time
// for a process that asks a real model. They do not measure speed.
const (
	stuck      = 3 * time.Minute
	stuckModel = time.Hour
)

// killed is the exit code of a process that a signal ended.
const killed = -1

// process is one start of the program.
type process struct {
	t        *testing.T
	cmd      *exec.Cmd
	out, err bytes.Buffer
	ended    chan struct{}
	stuck    time.Duration
}

// result is the exit code and the output of a process.
type result struct {
	code           int
	stdout, stderr string
}

// start starts the program in a process group of its own.
func (p place) start(args ...string) *process {
	p.t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Env = p.root, p.env
	pr := begin(p.t, cmd)
	if p.model {
		pr.stuck = stuckModel
	}
	return pr
}

// begin starts cmd. If cmd is still running at the end of the test, it is killed.
func begin(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	pr := &process{t: t, cmd: cmd, ended: make(chan struct{}), stuck: stuck}
	cmd.Stdout, cmd.Stderr = &pr.out, &pr.err
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// An orphan that holds the pipes must not block the trial.
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait() // the result is in cmd.ProcessState
		close(pr.ended)
	}()
	t.Cleanup(pr.kill)
	return pr
}

// over reports whether the process has ended.
func (pr *process) over() bool {
	select {
	case <-pr.ended:
		return true
	default:
		return false
	}
}

// kill kills the whole process group, as a power cut would, and waits for its end.
func (pr *process) kill() {
	if !pr.over() {
		if err := syscall.Kill(-pr.cmd.Process.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			pr.t.Error(err)
		}
	}
	<-pr.ended
}

func (pr *process) signal(s syscall.Signal) {
	pr.t.Helper()
	if err := pr.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		pr.t.Fatal(err)
	}
}

func (pr *process) wait() result {
	pr.t.Helper()
	select {
	case <-pr.ended:
	case <-time.After(pr.stuck):
		pr.kill()
		pr.t.Fatalf("%v hangs\nstdout: %s\nstderr: %s", pr.cmd.Args, &pr.out, &pr.err)
	}
	return result{pr.cmd.ProcessState.ExitCode(), pr.out.String(), pr.err.String()}
}

// do runs the program to its end and requires the given exit code.
func (p place) do(code int, args ...string) result {
	p.t.Helper()
	r := p.start(args...).wait()
	if r.code != code {
		p.t.Fatalf("evolve %v: exit %d, want %d\nstdout: %s\nstderr: %s", args, r.code, code, r.stdout, r.stderr)
	}
	return r
}

// until polls while the process runs, and reports whether the condition became true before
// the process ended.
func (pr *process) until(condition func() bool) bool {
	pr.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(pr.stuck)
	for {
		if condition() {
			return true
		}
		select {
		case <-pr.ended:
			return false
		case <-late:
			pr.t.Fatalf("%v: what was waited for never came", pr.cmd.Args)
		case <-tick.C:
		}
	}
}
