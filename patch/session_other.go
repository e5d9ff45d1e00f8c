//go:build !unix

package patch

import "os/exec"

func inSession(*exec.Cmd) {}
