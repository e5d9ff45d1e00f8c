// Package gosource has the scripts about searching marked constants and blocks of Go source
// code, where each version is compiled.
package gosource

import (
	"testing"

	"evolve/cmd/evolve/internal/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// TestScripts runs the scripts of this folder; see package clitest for their verbs.
func TestScripts(t *testing.T) { clitest.Run(t) }
