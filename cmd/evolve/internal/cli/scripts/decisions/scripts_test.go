// Package decisions has the scripts about decisions by people, and about the archive, its
// signed ledger and its copies.
package decisions

import (
	"testing"

	"evolve/cmd/evolve/internal/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// TestScripts runs the scripts of this folder; see package clitest for their verbs.
func TestScripts(t *testing.T) { clitest.Run(t) }
