package cli

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"evolve/runtime/authored"
	"evolve/runtime/sandbox"
)

// TestMain makes the test's binary the program evolve, too, and the programs spy and dying.
func TestMain(m *testing.M) {
	sandbox.Init()  // the sandbox's child is this binary too
	authored.Init() // and so is the process that runs a tool that an agent wrote
	testscript.Main(m, map[string]func(){"evolve": Main, "spy": spyAgent, "dying": dying})
}
