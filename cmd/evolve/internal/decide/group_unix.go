//go:build unix

package decide

import (
	"os/exec"
	"syscall"
)

// inGroup gives a program a process group of its own, which is ended as a whole.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
