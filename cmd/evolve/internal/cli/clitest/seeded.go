package clitest

import (
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"evolve/cmd/evolve/internal/cli/clitest/seed"
	"evolve/runtime/autonomy"
)

// scriptLevel raises an agent to a level of autonomy, as approved requests do.
func scriptLevel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: level DIR AGENT N")
	}
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	ts.Check(seed.Level(ts.MkAbs(args[0]), args[1], autonomy.Level(n)))
}

// scriptSeedTurns stores successful turns of an agent.
func scriptSeedTurns(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: seedturns DIR AGENT N")
	}
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	ts.Check(seed.Turns(ts.MkAbs(args[0]), args[1], n))
}

// scriptAsk stores an agent's change request.
func scriptAsk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: ask DIR FILE")
	}
	ts.Check(seed.Request(ts.MkAbs(args[0]), []byte(ts.ReadFile(args[1]))))
}
