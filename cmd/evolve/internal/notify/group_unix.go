//go:build unix

package notify

import (
	"os/exec"
	"syscall"
)

// inGroup runs a program in its own process group, so that the whole group can be killed.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
