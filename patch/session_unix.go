//go:build unix

package patch

import (
	"os/exec"
	"syscall"
)

// inSession gives a program a session of its own, so that it has no terminal for prompts
// and is killed together with all processes that it starts.
func inSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
