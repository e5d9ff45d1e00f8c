//go:build !windows

package main

import (
	"os"
	"runtime/debug"

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
	cli.Main()
}
