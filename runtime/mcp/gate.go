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

// Bounds on a server's unsolicited messages between two requests.
const (
	maxUnsolicited = 10_000 // messages
	maxWaiting     = 64     // requests of the server that wait for their refusal
)

// gate is between the SDK and a server: it passes only answers to requests, once each.
// It refuses the server's requests and drops the rest, and counts all of these. It is
// both the transport and the connection of the SDK.
type gate struct {
	inner mcp.Connection
	// faultOf returns the fault that an error of inner means.
	faultOf func(error) *fault
	// onVersion is called with the version of the protocol that the server chose.
	onVersion func(version string)

	mu          sync.Mutex
	asked       map[jsonrpc.ID]string // methods of the pending requests
	unsolicited int
	changed     bool // the server announced a changed list
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

// stop ends the session for a reason; the first reason is kept.
func (g *gate) stop(f *fault) {
	g.mu.Lock()
	if g.why == nil {
		g.why = f
	}
	g.mu.Unlock()
	g.end()
	_ = g.inner.Close() // the reader waits for the rest
}

// Close implements [mcp.Connection].
func (g *gate) Close() error {
	g.mu.Lock()
	g.left = g.why == nil
	g.mu.Unlock()
	g.stop(died("the session has ended"))
	return nil
}

// breach returns the server's fault that ended the session, nil for none.
func (g *gate) breach() *fault {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.left {
		return nil
	}
	return g.why
}

// fault returns why the session ended, nil while it has not.
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

// relist reports whether the server announced a changed list, and resets that.
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

// expected reports whether an answer belongs to a pending request, which it removes.
func (g *gate) expected(res *jsonrpc.Response) bool {
	g.mu.Lock()
	method, ok := g.asked[res.ID]
	delete(g.asked, res.ID)
	g.mu.Unlock()
	if !ok {
		return false
	}
	if theirs := (*jsonrpc.Error)(nil); res.Error != nil && !errors.As(res.Error, &theirs) {
		// The SDK's replacement for an answer that never came.
		res.Error = &fault{outcome: "execution", text: "the server's answer broke off", retry: true}
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

// count handles an unsolicited message.
func (g *gate) count(msg jsonrpc.Message) *fault {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.unsolicited++; g.unsolicited > maxUnsolicited {
		return violated(fmt.Sprintf("the server sent more than %d unsolicited messages", maxUnsolicited))
	}
	req, ok := msg.(*jsonrpc.Request)
	if !ok {
		return nil // an answer that is duplicate, too late, or to no request
	}
	if !req.IsCall() {
		g.changed = g.changed || req.Method == "notifications/tools/list_changed"
		return nil
	}
	answer := &jsonrpc.Response{ID: req.ID}
	if req.Method == "ping" {
		answer.Result = json.RawMessage("{}")
	} else {
		answer.Error = &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "this client does not serve requests of servers"}
	}
	select {
	case g.refusals <- answer:
		return nil
	default:
		return violated(fmt.Sprintf("the server sent requests faster than they could be refused: more than %d are open", maxWaiting))
	}
}

// refuse sends the answers to a server's requests. It runs in a goroutine of its own,
// because a server that does not read must not block reading from it.
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
