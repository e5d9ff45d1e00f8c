package mcp

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"evolve/runtime/agent"
	"evolve/runtime/tool"
)

// remote is a tool that a server provides.
type remote struct {
	clients *Clients
	server  *server
	name    string // the tool's name on the server
	spec    tool.Spec
}

// Spec implements [tool.Tool].
func (r *remote) Spec() tool.Spec { return r.spec }

// Call implements [tool.Tool]. It restarts a server that has ended.
func (r *remote) Call(ctx context.Context, _ *tool.Env, args json.RawMessage) (tool.Result, error) {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(r.clients.life, func() { cancel(errClosed) })
	defer stop()
	cur, f := r.server.session(ctx)
	if f == nil {
		f = r.server.changedTool(r.name)
	}
	if f != nil {
		return f.result(), nil
	}
	cur.resetCounts()
	res, err := cur.client.CallTool(ctx, &mcp.CallToolParams{Name: r.name, Arguments: args})
	switch {
	case err != nil && r.clients.life.Err() != nil:
		return closed().result(), nil
	case err != nil:
		return r.server.judge(ctx, cur, err).result(), nil
	}
	return result(res, r.server.scrub), nil
}

// result converts a server's answer into the tool's result.
func result(res *mcp.CallToolResult, scrub func(string) string) tool.Result {
	text := render(res, scrub)
	switch {
	case res.NeedsInput() || res.InputRequests != nil:
		return tool.Failed(agent.Execution, "the tool asked for input from a person or a model, which evolve does not provide")
	case res.IsError && text == "":
		return tool.Failed(agent.Execution, "the tool failed without a message")
	case res.IsError:
		return tool.Failed(agent.Execution, "%s", text)
	}
	return tool.OK(text)
}
