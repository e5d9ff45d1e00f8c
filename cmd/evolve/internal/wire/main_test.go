package wire

import (
	"os"
	"testing"

	"evolve/runtime/sandbox"
)

// TestMain lets this binary also set up the sandbox of a program.
func TestMain(m *testing.M) {
	sandbox.Init()
	os.Exit(m.Run())
}
