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
	// Sleep waits for a time or until the context is done, whose cause it returns; nil means
	// with a timer.
	Sleep   func(context.Context, time.Duration) error
	Signals <-chan os.Signal
	// Release restores the default handling of signals: the next one ends the process.
	Release func()
	// Reached is called at every step of a decision. Nil except in tests.
	Reached func(step string) error
}

// sleep waits for d or until ctx is done, whose cause it returns.
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
