package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Main runs a command in this process with the process's arguments, streams, environment,
// folder and signals, and ends the process with the exit code.
func Main() {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	wd, _ := os.Getwd()
	os.Exit(Run(context.Background(), Process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Env: os.Environ(), Dir: wd,
		Now: time.Now, Signals: signals, Release: func() { signal.Reset(os.Interrupt, syscall.SIGTERM) },
	}))
}
