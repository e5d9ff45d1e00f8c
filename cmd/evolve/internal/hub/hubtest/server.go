// Package hubtest starts NATS servers with JetStream for tests.
package hubtest

import (
	"errors"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// startTime limits how long a server may take to start.
const startTime = 10 * time.Second

// Options returns options for a server on a free port of this machine that stores its
// streams in a folder.
func Options(dir string) *server.Options {
	return &server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: dir}
}

// Start starts a server, which writes no log and does not handle signals.
func Start(o *server.Options) (*server.Server, error) {
	o.NoLog, o.NoSigs = true, true
	srv, err := server.NewServer(o)
	if err != nil {
		return nil, err
	}
	srv.Start()
	if !srv.ReadyForConnections(startTime) {
		Stop(srv)
		return nil, errors.New("the server does not start")
	}
	return srv, nil
}

// Stop stops a server, and returns when no part of it is running.
func Stop(srv *server.Server) {
	srv.Shutdown()
	srv.WaitForShutdown()
}
