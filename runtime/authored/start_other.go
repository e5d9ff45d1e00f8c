//go:build !linux

package authored

import (
	"context"
	"errors"
	"os"
	"time"

	"evolve/runtime/sandbox"
)

type process struct {
	kill func()
	wait func()
}

func start(context.Context, sandbox.Sandbox, *os.File, *os.File) (process, error) {
	return process{}, errors.ErrUnsupported
}

func connection() (ours, theirs *os.File, err error) { return nil, nil, errors.ErrUnsupported }

func readFrom(*os.File, []byte) (n, pid int, err error) { return 0, 0, errors.ErrUnsupported }

func isQuiet(*os.File) bool { return false }

func resident(int) int64 { return 0 }

func processorTime(int) time.Duration { return 0 }
