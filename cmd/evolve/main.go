//go:build !windows

package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"evolve/cmd/evolve/internal/cli"
	"evolve/runtime/authored"
	"evolve/runtime/sandbox"
)

// collectAt is the growth of the heap, in percent, after which it is collected, unless the
// environment has GOGC. Over a night of 1,000,000 evaluations it takes a third of the memory
// off Go's default of 100, for some 5 % of the processor time.
const collectAt = 40

func main() {
	// Neither returns when this process is a sandbox's child or runs a tool that an agent
	// wrote.
	sandbox.Init()
	authored.Init()
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(collectAt)
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	wd, _ := os.Getwd()
	os.Exit(cli.Run(context.Background(), cli.Process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Env: os.Environ(), Dir: wd,
		Now: time.Now, Signals: signals, Release: func() { signal.Reset(os.Interrupt, syscall.SIGTERM) },
	}))
}
