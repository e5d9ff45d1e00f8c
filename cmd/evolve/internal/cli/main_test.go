package cli

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"evolve/runtime/authored"
	"evolve/runtime/sandbox"
)

// TestMain makes the test binary also serve as the programs evolve, spy and dying.
func TestMain(m *testing.M) {
	sandbox.Init()  // the child process of the sandbox is this binary, too
	authored.Init() // the process that runs a tool written by an agent is this binary, too
	testscript.Main(m, map[string]func(){"evolve": Main, "spy": spyAgent, "dying": dying})
}
