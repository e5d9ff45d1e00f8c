//go:build unix

package review

import (
	"os/exec"
	"syscall"
)

// inGroup gives a program its own process group, which can be killed as a whole.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
