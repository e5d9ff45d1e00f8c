package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"evolve/runtime/agent"
	"evolve/runtime/sandbox"
)

// protocol is the newest protocol version that is requested. Its successor is not
// requested, because it has no sessions, and requesting it first confuses servers that do
// not support it.
const protocol = "2025-11-25"

// link is the connection underlying a session: a process or an endpoint.
type link interface {
	mcp.Connection
	// resetStderr resets the count of output outside the protocol.
	resetStderr()
	// shutDown closes the connection and waits until nothing of it is left. It sends the
	// request that ends the session only if ctx is not done.
	shutDown(ctx context.Context)
}

// session is one connection to a server, from its start to its end.
type session struct {
	gate   *gate
	link   link
	client *mcp.ClientSession
}

// server is a server that is supervised: started, restarted and ended as needed.
type server struct {
	Server
	scrub    func(string) string
	log      *slog.Logger
	restarts int

	// turn is a lock held while a session is started or ended or its tools are listed.
	turn   chan struct{}
	cur    *session
	starts int
	closed bool

	mu sync.Mutex
	// first holds the tools as they were first listed. gone reports which of these tools
	// are missing from the latest listing. changed reports which of them differed in a
	// later listing.
	first   map[string]offer
	gone    map[string]bool
	changed map[string]bool
}

func newServer(s Server, o *Options) *server {
	return &server{
		Server: s, scrub: o.Scrub, log: o.Log.With("server", s.Name), restarts: maxRestarts,
		turn: make(chan struct{}, 1), gone: map[string]bool{}, changed: map[string]bool{},
	}
}

// session returns the current session, starting the server if there is none.
func (s *server) session(ctx context.Context) (*session, *fault) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ended(ctx)
	}
	defer func() { <-s.turn }()
	if s.closed {
		return nil, closed()
	}
	if ctx.Err() != nil {
		return nil, ended(ctx)
	}
	if s.cur != nil {
		f := s.cur.gate.fault()
		if f == nil {
			f = s.refresh(ctx, s.cur)
		}
		if f == nil {
			return s.cur, nil
		}
		if !f.last {
			return nil, f
		}
		s.log.Warn("a tool server was stopped", "reason", f.text)
		s.shutDown(ctx)
	}
	if s.starts > s.restarts {
		return nil, &fault{outcome: agent.Execution, text: fmt.Sprintf("the server failed %d times and will not be started again", s.starts)}
	}
	cur, f := s.start(ctx)
	if f == nil || f.outcome != agent.Cancelled {
		s.starts++
	}
	if f != nil {
		return nil, f
	}
	s.cur = cur
	return cur, nil
}

// refresh lists the tools again if the server has announced a change.
func (s *server) refresh(ctx context.Context, cur *session) *fault {
	if !cur.gate.relist() {
		return nil
	}
	if f := s.compare(ctx, cur); f != nil {
		cur.gate.mustRelist()
		return f
	}
	return nil
}

// renew ends the current session on request, if there is one, and resets the number of
// starts, so the next start does not count as a restart.
func (s *server) renew() {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.cur != nil && !s.closed {
		s.shutDown(context.Background())
		s.starts = 0
	}
}

// shutDown ends the current session, if there is one, and waits until nothing of it is
// left.
func (s *server) shutDown(ctx context.Context) {
	if s.cur != nil {
		s.cur.shutDown(ctx)
		s.cur = nil
	}
}

func (c *session) shutDown(ctx context.Context) {
	c.link.shutDown(ctx)
	c.gate.stop(died("the session has ended"))
	c.gate.refused.Wait()
	if c.client != nil {
		_ = c.client.Close()
	}
}

// start starts the server, initializes the session, and compares its tools with those in
// the first listing.
func (s *server) start(ctx context.Context) (cur *session, f *fault) {
	// When this function returns, the reads that were started with ctx end.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cur = &session{}
	if len(s.Argv) > 0 {
		p, err := startProcess(ctx, &s.Server, s.scrub)
		if err != nil {
			return nil, s.startFault(ctx, err)
		}
		cur.link, cur.gate = p, newGate(p, s.faultOf, nil)
	} else {
		e, err := openEndpoint(ctx, &s.Server)
		if err != nil {
			return nil, s.startFault(ctx, err)
		}
		cur.link, cur.gate = e, newGate(e, e.faultOf, e.onVersion)
	}
	// The SDK may wait longer than ctx allows, so the session is stopped when ctx is done.
	stop := context.AfterFunc(ctx, func() { cur.gate.stop(died("the server took too long to start")) })
	defer stop()
	client := mcp.NewClient(&mcp.Implementation{Name: "evolve", Version: "1"}, &mcp.ClientOptions{
		Logger: slog.New(slog.DiscardHandler), Capabilities: &mcp.ClientCapabilities{}, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
	var err error
	if cur.client, err = client.Connect(ctx, cur.gate, &mcp.ClientSessionOptions{ProtocolVersion: protocol}); err != nil {
		cur.client = nil // already closed; a session returned with an error may have nil fields
		f = s.judge(ctx, cur, err)
	} else {
		f = s.compare(ctx, cur)
	}
	if f != nil {
		cur.gate.stop(f)
		cur.shutDown(ctx)
		return nil, f
	}
	return cur, nil
}

// startFault returns the fault for a server that could not be started.
func (s *server) startFault(ctx context.Context, err error) *fault {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	return &fault{outcome: agent.Execution, text: "starting the server: " + line(err.Error(), s.scrub), retry: !errors.Is(err, sandbox.ErrProgram)}
}

// faultOf returns the fault for an error that occurred while reading from a process.
func (s *server) faultOf(err error) *fault {
	if f := (*fault)(nil); errors.As(err, &f) {
		return f
	}
	return died("the server's output was cut off")
}

// judge returns the fault for a failed request to the server.
func (s *server) judge(ctx context.Context, cur *session, err error) *fault {
	var f *fault
	var theirs *jsonrpc.Error
	switch {
	case ctx.Err() != nil:
		f = ended(ctx)
		if f.outcome == agent.Timeout && len(s.Argv) > 0 {
			// The server may hang, so it is stopped with all its descendants.
			cur.gate.stop(died("the server was stopped because it took too long"))
		}
		return f
	case errors.As(err, &f):
		return f
	case cur.gate.breach() != nil:
		return cur.gate.breach()
	case errors.Is(err, mcp.ErrConnectionClosed):
		// The SDK interprets one of the server's error codes as a closed connection.
		return &fault{outcome: agent.Execution, text: "the server reported that it is closing"}
	case errors.As(err, &theirs):
		return &fault{outcome: agent.Execution, text: fmt.Sprintf("the server answered with error %d: %s", theirs.Code, line(theirs.Message, s.scrub))}
	}
	return &fault{outcome: agent.ContractViolation, text: "the server's answer cannot be read"}
}

// compare lists the tools and records which of the offered tools are missing from the new
// listing or differ from the first listing.
func (s *server) compare(ctx context.Context, cur *session) *fault {
	cur.resetCounts()
	offers, err := list(ctx, cur.client, s.Tools)
	if err != nil {
		return s.judge(ctx, cur, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == nil {
		s.first = offers
		return nil
	}
	for name, was := range s.first {
		is, ok := offers[name]
		if s.gone[name] = !ok; ok && is.print != was.print && !s.changed[name] {
			s.changed[name] = true
			s.log.Warn("a tool server changed a tool; calls to this tool are refused from now on", "tool", name)
		}
	}
	return nil
}

// resetCounts resets the counts of the server's unsolicited output.
func (c *session) resetCounts() {
	c.gate.resetCounts()
	c.link.resetStderr()
}

// changedTool returns the fault for a tool that has changed or disappeared since the first
// listing, or nil if it has not.
func (s *server) changedTool(name string) *fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.changed[name]:
		return &fault{outcome: agent.ContractViolation, text: "the server changed this tool: its description or schema differs from the one that was offered"}
	case s.gone[name]:
		return &fault{outcome: agent.Execution, text: "the server no longer has this tool"}
	}
	return nil
}

// close ends the server permanently.
func (s *server) close(ctx context.Context) {
	s.turn <- struct{}{}
	s.closed = true
	s.shutDown(ctx)
	<-s.turn
}
