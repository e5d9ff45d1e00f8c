package clitest

import (
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"evolve/cmd/evolve/internal/hub/hubtest"
)

// scriptHubServer starts a hub server for the rest of a script.
func scriptHubServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hubserver NAME")
	}
	srv, err := hubtest.Start(hubtest.Options(filepath.Join(ts.Getenv("WORK"), ".hub")))
	ts.Check(err)
	ts.Defer(func() { hubtest.Stop(srv) })
	ts.Setenv(args[0], srv.ClientURL())
}
