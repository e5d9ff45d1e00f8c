// Package agents has the scripts about single turns of the built-in agent: its models,
// tools, memory, policies and feedback.
package agents

import (
	"testing"

	"evolve/cmd/evolve/internal/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// TestScripts runs the scripts of this folder; see package clitest for their verbs.
func TestScripts(t *testing.T) { clitest.Run(t) }
