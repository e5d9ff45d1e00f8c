// Package patches has the scripts about proposals for patches: how they are written,
// checked by gates, measured and decided.
package patches

import (
	"testing"

	"evolve/cmd/evolve/internal/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// TestScripts runs the scripts of this folder; see package clitest for their verbs.
func TestScripts(t *testing.T) { clitest.Run(t) }
