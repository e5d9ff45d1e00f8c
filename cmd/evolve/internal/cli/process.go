package cli

import (
	"context"
	"io"
	"os"
	"time"
)

// Process holds the inputs, outputs and environment of a process.
type Process struct {
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Env            []string
	Dir            string
	Now            func() time.Time
	// Sleep waits for a duration or until the context is done, and returns the context's
	// cause. If Sleep is nil, a timer is used.
	Sleep   func(context.Context, time.Duration) error
	Signals <-chan os.Signal
	// Release restores the default handling of signals, so that the next signal ends the
	// process.
	Release func()
	// Reached is called at every step of a decision. It is nil except in tests.
	Reached func(step string) error
}

// sleep waits for d or until ctx is done, and returns the cause of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
