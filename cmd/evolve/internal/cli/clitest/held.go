package clitest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"

	"evolve/cmd/evolve/internal/exit"
)

// held is an `evolve run` that a script keeps in progress in the background.
type held struct {
	cmd *exec.Cmd
	out bytes.Buffer
}

func scriptHold(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hold DIR")
	}
	h := &held{}
	// The workspace's agent is slow, so the run stays in progress.
	h.cmd = exec.Command("evolve", "run", "--budget-evals", "100000", "--concurrency", "1", "--quiet")
	path := ts.Getenv("PATH")
	for _, dir := range filepath.SplitList(path) {
		if p := filepath.Join(dir, "evolve"); isExecutable(p) {
			h.cmd.Path, h.cmd.Err = p, nil
			break
		}
	}
	h.cmd.Dir = ts.MkAbs(args[0])
	h.cmd.Env = slices.Concat(os.Environ(), []string{"PATH=" + path, "HOME=" + ts.Getenv("HOME")})
	h.cmd.Stdout, h.cmd.Stderr = &h.out, &h.out
	ts.Check(h.cmd.Start())
	ts.Defer(func() { _ = h.cmd.Process.Kill() })
	startedBy(ts).run = h
	// The run has begun once status reports it as running.
	for range 400 {
		status := exec.Command(h.cmd.Path, "status", "--json")
		status.Dir, status.Env = h.cmd.Dir, h.cmd.Env
		out, err := status.Output()
		if err == nil && bytes.Contains(out, []byte(`"running": true`)) {
			return
		}
	}
	ts.Fatalf("the run did not begin: %s", h.out.String())
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && info.Mode()&0o111 != 0
}

func scriptLetGo(ts *testscript.TestScript, neg bool, args []string) {
	signal := os.Interrupt
	switch {
	case slices.Equal(args, []string{"SIGTERM"}):
		signal = syscall.SIGTERM
	case neg || len(args) > 0:
		ts.Fatalf("usage: letgo [SIGTERM]")
	}
	h := startedBy(ts).run
	if h == nil {
		ts.Fatalf("nothing is held")
	}
	ts.Check(h.cmd.Process.Signal(signal))
	_ = h.cmd.Wait()
	if code := h.cmd.ProcessState.ExitCode(); code != exit.Interrupted {
		ts.Fatalf("exit code %d, want %d: %s", code, exit.Interrupted, h.out.String())
	}
}

func scriptKillHeld(ts *testscript.TestScript, neg bool, args []string) {
	h := startedBy(ts).run
	if neg || len(args) > 0 || h == nil {
		ts.Fatalf("usage: killheld, after hold")
	}
	ts.Check(h.cmd.Process.Kill())
	_ = h.cmd.Wait()
}
