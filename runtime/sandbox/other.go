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

// called has no effect on this system, which has no isolation.
const called = true

func plainAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// awaitEnd always returns false: on this system it cannot wait for a child without reaping
// it, so the child's process group is killed only on request.
func awaitEnd(int) bool { return false }
