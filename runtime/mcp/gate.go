package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits on a server's unsolicited messages between two requests.
const (
	maxUnsolicited = 10_000 // messages
	maxWaiting     = 64     // requests by the server that have yet to be refused
)

// gate sits between the SDK and a server. It passes on only answers to requests, each once,
// refuses the server's requests, drops all other messages, and counts everything that it
// does not pass on. To the SDK it is both the transport and the connection.
type gate struct {
	inner mcp.Connection
	// faultOf returns the fault that corresponds to an error from inner.
	faultOf func(error) *fault
	// onVersion is called with the protocol version that the server chose.
	onVersion func(version string)

	mu          sync.Mutex
	asked       map[jsonrpc.ID]string // methods of the pending requests
	unsolicited int
	changed     bool // the server announced that its list has changed
	why         *fault
	left        bool // the SDK closed the session first, and reports the reason itself

	refusals chan *jsonrpc.Response
	over     context.Context
	end      context.CancelFunc
	refused  sync.WaitGroup
}

func newGate(inner mcp.Connection, faultOf func(error) *fault, onVersion func(string)) *gate {
	g := &gate{
		inner: inner, faultOf: faultOf, onVersion: onVersion,
		asked: map[jsonrpc.ID]string{}, refusals: make(chan *jsonrpc.Response, maxWaiting),
	}
	g.over, g.end = context.WithCancel(context.Background())
	g.refused.Go(g.refuse)
	return g
}

// Connect implements [mcp.Transport].
func (g *gate) Connect(context.Context) (mcp.Connection, error) { return g, nil }

// SessionID implements [mcp.Connection].
func (g *gate) SessionID() string { return g.inner.SessionID() }

// stop ends the session with f as the reason, unless an earlier reason is already stored.
func (g *gate) stop(f *fault) {
	g.mu.Lock()
	if g.why == nil {
		g.why = f
	}
	g.mu.Unlock()
	g.end()
	_ = g.inner.Close() // the reader waits until the connection is really closed
}

// Close implements [mcp.Connection].
func (g *gate) Close() error {
	g.mu.Lock()
	g.left = g.why == nil
	g.mu.Unlock()
	g.stop(died("the session has ended"))
	return nil
}

// breach returns the fault that ended the session, or nil if the session has not ended or
// the SDK closed it first.
func (g *gate) breach() *fault {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.left {
		return nil
	}
	return g.why
}

// fault returns why the session ended, or nil if it has not.
func (g *gate) fault() *fault {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.why
}

// resetCounts resets the count of unsolicited messages.
func (g *gate) resetCounts() {
	g.mu.Lock()
	g.unsolicited = 0
	g.mu.Unlock()
}

// relist reports whether the server has announced that its list changed, and clears the
// flag.
func (g *gate) relist() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	changed := g.changed
	g.changed = false
	return changed
}

func (g *gate) mustRelist() {
	g.mu.Lock()
	g.changed = true
	g.mu.Unlock()
}

// Read implements [mcp.Connection].
func (g *gate) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		msg, err := g.inner.Read(ctx)
		if err != nil {
			g.stop(g.faultOf(err))
			return nil, g.fault()
		}
		if res, ok := msg.(*jsonrpc.Response); ok && g.expected(res) {
			return res, nil
		}
		if f := g.count(msg); f != nil {
			g.stop(f)
			return nil, g.fault()
		}
	}
}

// expected reports whether an answer belongs to a pending request, and removes that
// request.
func (g *gate) expected(res *jsonrpc.Response) bool {
	g.mu.Lock()
	method, ok := g.asked[res.ID]
	delete(g.asked, res.ID)
	g.mu.Unlock()
	if !ok {
		return false
	}
	if theirs := (*jsonrpc.Error)(nil); res.Error != nil && !errors.As(res.Error, &theirs) {
		// The SDK substitutes such an error for an answer that never arrived.
		res.Error = &fault{outcome: "execution", text: "the server's answer was cut off", retry: true}
	}
	if method == "initialize" && g.onVersion != nil {
		var chosen struct {
			ProtocolVersion string `json:"protocolVersion"`
		}
		if json.Unmarshal(res.Result, &chosen) == nil {
			g.onVersion(chosen.ProtocolVersion)
		}
	}
	return true
}

// count counts and handles an unsolicited message. It returns a fault if there are too
// many.
func (g *gate) count(msg jsonrpc.Message) *fault {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.unsolicited++; g.unsolicited > maxUnsolicited {
		return violated(fmt.Sprintf("the server sent more than %d unsolicited messages", maxUnsolicited))
	}
	req, ok := msg.(*jsonrpc.Request)
	if !ok {
		return nil // a duplicate or late answer, or an answer to no request
	}
	if !req.IsCall() {
		g.changed = g.changed || req.Method == "notifications/tools/list_changed"
		return nil
	}
	answer := &jsonrpc.Response{ID: req.ID}
	if req.Method == "ping" {
		answer.Result = json.RawMessage("{}")
	} else {
		answer.Error = &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "this client does not serve requests from servers"}
	}
	select {
	case g.refusals <- answer:
		return nil
	default:
		return violated(fmt.Sprintf("the server sent requests faster than they could be refused: more than %d are open", maxWaiting))
	}
}

// refuse sends the queued answers to the server's requests. It runs in its own goroutine,
// because a server that stops reading must not keep us from reading its output.
func (g *gate) refuse() {
	for {
		select {
		case answer := <-g.refusals:
			if err := g.inner.Write(g.over, answer); err != nil {
				continue // the reader will notice a broken connection
			}
		case <-g.over.Done():
			return
		}
	}
}

// Write implements [mcp.Connection].
func (g *gate) Write(ctx context.Context, msg jsonrpc.Message) error {
	if f := g.fault(); f != nil {
		return f
	}
	if req, ok := msg.(*jsonrpc.Request); ok {
		g.mu.Lock()
		switch {
		case req.IsCall():
			g.asked[req.ID] = req.Method
		case req.Method == "notifications/cancelled":
			delete(g.asked, cancelledID(req.Params))
		}
		g.mu.Unlock()
	}
	return g.inner.Write(ctx, msg)
}

// cancelledID returns the id of the request that a notification cancels.
func cancelledID(params json.RawMessage) jsonrpc.ID {
	var p struct {
		RequestID any `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return jsonrpc.ID{}
	}
	id, err := jsonrpc.MakeID(p.RequestID)
	if err != nil {
		return jsonrpc.ID{}
	}
	return id
}
