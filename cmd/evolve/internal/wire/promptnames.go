package wire

import (
	"context"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/experience"
	"evolve/runtime/mcp"
	"evolve/runtime/turn"
)

// PromptNames returns the names that may appear in an agent's system prompt, without
// connecting to the agent's tool servers.
func PromptNames(ctx context.Context, w *workspace.Workspace, store *archive.Archive, a *workspace.Agent) (experience.Names, error) {
	names := turn.Names(a.Tools, a.Domains)
	own, err := Definitions(a)
	if err != nil {
		return names, err
	}
	defs, _, err := WithShared(ctx, w, store, a, own)
	if err != nil {
		return names, err
	}
	for _, d := range defs {
		names.Tools[d.Name] = d.Spec().Methods()
	}
	for _, server := range a.MCP {
		for tool := range w.Settings.MCP[server].Tools {
			names.Tools[mcp.ToolName(server, tool)] = nil
		}
	}
	return names, nil
}
