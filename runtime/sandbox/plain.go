package sandbox

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// mark is the environment variable that identifies descendants which left their process
// group, for isolation without namespaces. A descendant that also clears its environment
// cannot be found.
const mark = "EVOLVE_MARK"

// startPlain runs a program in a process group, without further isolation.
func startPlain(s Spec, prog program) (*Process, error) {
	home, sign, err := newHome(s)
	if err != nil {
		return nil, err
	}
	return startGroup(&exec.Cmd{
		Path: prog.path, Args: prog.argv(s), Dir: s.Dir,
		Env:         append(environment(s, prog, home, home), sign),
		SysProcAttr: plainAttributes(),
	}, s, home, sign)
}

// newHome creates a folder for HOME and /tmp, and the environment setting that marks the
// program's descendants.
func newHome(s Spec) (home, sign string, err error) {
	home, err = os.MkdirTemp(s.Temp, "evolve-home-")
	if err != nil {
		return "", "", fmt.Errorf("creating a home folder: %w", err)
	}
	return home, mark + "=" + rand.Text(), nil
}

// startGroup starts a command in its own process group. When the command ends, the
// processes in the group, and all processes whose environment contains sign, are killed,
// and home is removed.
func startGroup(cmd *exec.Cmd, s Spec, home, sign string) (*Process, error) {
	connect(cmd, s)
	if err := cmd.Start(); err != nil {
		_ = os.RemoveAll(home)
		return nil, refused(err)
	}
	g := &group{cmd: cmd}
	kill := func() {
		g.kill()
		sweep(sign)
	}
	wait := func() Exit {
		if awaitEnd(cmd.Process.Pid) {
			kill()
		}
		g.reap()
		discard(home)
		return exitOf(cmd.ProcessState)
	}
	return &Process{kill: kill, wait: wait}, nil
}

// group is the process group of a started command.
type group struct {
	cmd    *exec.Cmd
	mu     sync.Mutex
	reaped bool // if set, the number of the group may belong to other processes
}

// kill kills all processes of the group.
func (g *group) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.reaped {
		_ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL)
	}
}

// reap waits for the command itself, after which kill has no effect.
func (g *group) reap() {
	g.mu.Lock()
	defer g.mu.Unlock()
	_ = g.cmd.Wait()
	g.reaped = true
}

// discard removes a home, including folders for which the program removed its own
// permissions. Links in the home are not followed.
func discard(home string) {
	if os.RemoveAll(home) == nil {
		return
	}
	root, err := os.OpenRoot(filepath.Dir(home))
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }()
	_ = fs.WalkDir(root.FS(), filepath.Base(home), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = root.Chmod(path, 0o700) // must happen before the folder is read
		}
		return nil
	})
	_ = os.RemoveAll(home)
}

// connect sets the standard files; a nil file means /dev/null.
func connect(cmd *exec.Cmd, s Spec) {
	if s.Stdin != nil {
		cmd.Stdin = s.Stdin
	}
	if s.Stdout != nil {
		cmd.Stdout = s.Stdout
	}
	if s.Stderr != nil {
		cmd.Stderr = s.Stderr
	}
}

func exitOf(state *os.ProcessState) Exit {
	e := Exit{Code: state.ExitCode()}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		e.Signal = int(ws.Signal())
	}
	return e
}

// sweep kills every process whose environment has the sign, in passes over all processes
// until a pass finds none. The number of passes is limited, so a program that forks faster
// than its processes are killed cannot delay the run for ever.
func sweep(sign string) {
	for range 100 {
		found := false
		environments, err := filepath.Glob("/proc/[0-9]*/environ")
		if err != nil {
			return
		}
		for _, path := range environments {
			if !bytes.Contains(environmentAt(path), []byte(sign)) {
				continue
			}
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
				found = syscall.Kill(pid, syscall.SIGKILL) == nil || found
			}
		}
		if !found {
			return
		}
	}
}

// environmentAt reads the environment of a process. During an exec it is empty for a
// moment: if there is a program but no environment, environmentAt reads again for a few
// milliseconds.
func environmentAt(path string) []byte {
	for range 20 {
		env, err := os.ReadFile(path)
		if err != nil || len(env) > 0 {
			return env
		}
		if _, err := os.Readlink(filepath.Join(filepath.Dir(path), "exe")); err != nil {
			return nil // a kernel thread, or gone
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}
