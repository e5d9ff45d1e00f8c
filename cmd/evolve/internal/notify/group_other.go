//go:build !unix

package notify

import "os/exec"

// inGroup does nothing on this system, so only the program itself is killed.
func inGroup(*exec.Cmd) {}
