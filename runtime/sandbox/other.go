//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"syscall"
)

// Init does nothing here: only Linux has these walls.
func Init() {}

// Detect finds no walls here: only Linux has them.
func Detect(context.Context) Walls { return None("only Linux has them") }

// Try finds no walls here: only Linux has them.
func Try(context.Context, string) (Walls, error) { return Walls{}, errors.New("only Linux has walls") }

func startNamespaces(context.Context, Spec, program) (*Process, error) {
	return nil, errors.ErrUnsupported
}

func startBubblewrap(context.Context, string, Spec, program) (*Process, error) {
	return nil, errors.ErrUnsupported
}

func startConfined(context.Context, Spec, program) (*Process, error) {
	return nil, errors.ErrUnsupported
}

// called is of no use here, where there are no walls.
const called = true

func plainAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// awaitEnd cannot leave a child to be reaped here, so its process group is only
// killed on request.
func awaitEnd(int) bool { return false }
