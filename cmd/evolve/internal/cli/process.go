package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"evolve/runtime/authored"
	"evolve/runtime/sandbox"
)

// Main runs the command line of this process and returns its exit code.
func Main() int {
	// Neither returns when this process is a sandbox's child or runs a tool that an agent
	// wrote.
	sandbox.Init()
	authored.Init()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	wd, _ := os.Getwd()
	return run(context.Background(), process{
		args: os.Args[1:], stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.Environ(), dir: wd,
		now: time.Now, sleep: sleep, signals: signals, release: func() { signal.Reset(os.Interrupt, syscall.SIGTERM) },
	})
}

// process holds a command's inputs, outputs and environment.
type process struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	env            []string
	dir            string
	now            func() time.Time
	sleep          func(context.Context, time.Duration) error
	signals        <-chan os.Signal
	// release restores the default handling of signals: the next one ends the process.
	release func()
	// reached is called at every step of a decision. Nil except in tests.
	reached func(step string) error
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
