package main

import (
	"os"

	"evolve/cmd/evolve/internal/cli"
)

func main() { os.Exit(cli.Main()) }
