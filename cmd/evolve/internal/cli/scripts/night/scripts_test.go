// Package night has the scripts about nightly runs: budgets, agents of every kind,
// settings, schedules, and what nights leave for later ones.
package night

import (
	"testing"

	"evolve/cmd/evolve/internal/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// TestScripts runs the scripts of this folder; see package clitest for their verbs.
func TestScripts(t *testing.T) { clitest.Run(t) }
