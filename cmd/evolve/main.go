//go:build !windows

package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"evolve/cmd/evolve/internal/cli"
	"evolve/runtime/authored"
	"evolve/runtime/sandbox"
)

func main() {
	// Neither returns when this process is a sandbox's child or runs a tool that an agent
	// wrote.
	sandbox.Init()
	authored.Init()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	wd, _ := os.Getwd()
	os.Exit(cli.Run(context.Background(), cli.Process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Env: os.Environ(), Dir: wd,
		Now: time.Now, Signals: signals, Release: func() { signal.Reset(os.Interrupt, syscall.SIGTERM) },
	}))
}
