// Package code has the scripts about the versions of code that nights found, and the
// commands that list, show and compare them.
package code

import (
	"testing"

	"evolve/cmd/evolve/internal/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// TestScripts runs the scripts of this folder; see package clitest for their verbs.
func TestScripts(t *testing.T) { clitest.Run(t) }
