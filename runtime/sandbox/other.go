//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"syscall"
)

// Init does nothing: only Linux has isolation.
func Init() {}

// Detect returns no isolation: only Linux has it.
func Detect(context.Context) Sandbox { return Sandbox{reason: ErrSystem.Error(), system: true} }

// Try fails: only Linux has isolation.
func Try(context.Context, string) (Sandbox, error) { return Sandbox{}, ErrSystem }

func startNamespaces(context.Context, Spec, program) (*Process, error) {
	return nil, errors.ErrUnsupported
}

func startBubblewrap(context.Context, string, Spec, program) (*Process, error) {
	return nil, errors.ErrUnsupported
}

func startConfined(context.Context, Spec, program) (*Process, error) {
	return nil, errors.ErrUnsupported
}

// called has no effect here, where there is no isolation.
const called = true

func plainAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// awaitEnd cannot leave a child unreaped here, so its process group is only killed on
// request.
func awaitEnd(int) bool { return false }
