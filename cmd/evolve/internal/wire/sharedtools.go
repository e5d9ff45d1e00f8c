package wire

import (
	"context"
	"errors"
	"slices"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/authored"
)

// ToolSharing is the data of a ledger entry about a tool that a person shared with agents,
// or stopped sharing with them.
type ToolSharing struct {
	Source string   `json:"source"`
	With   []string `json:"with"`
	Reason string   `json:"reason,omitempty"`
}

// sharedTool is a tool that another agent wrote.
type sharedTool struct {
	owner string
	def   authored.Definition
}

// sharedWith returns the tools of other agents that a person shared with an agent. The
// agent's own tools take precedence over shared tools of the same name.
func (f *AgentFactory) sharedWith(ctx context.Context, a *workspace.Agent, own []authored.Definition) ([]sharedTool, error) {
	if f.Frozen != nil {
		return f.Frozen.shared()
	}
	var shared []sharedTool
	if !slices.ContainsFunc(f.workspace.Agents, func(o workspace.Agent) bool { return o.ID != a.ID && len(o.ToolFiles) > 0 }) {
		return nil, nil
	}
	err := f.look(func(store *archive.Archive) (err error) {
		shared, err = sharedTools(ctx, f.workspace, store, a, own)
		return err
	})
	return shared, err
}

// WithShared returns an agent's own tools followed by the tools that are shared with it. It
// also returns a map from the name of each shared tool to the agent that wrote the tool.
func WithShared(ctx context.Context, w *workspace.Workspace, store *archive.Archive, a *workspace.Agent, own []authored.Definition) ([]authored.Definition, map[string]string, error) {
	shared, err := sharedTools(ctx, w, store, a, own)
	owners := map[string]string{}
	for _, t := range shared {
		owners[t.def.Name] = t.owner
		own = append(own, t.def)
	}
	return own, owners, err
}

// sharedTools is like sharedWith, but reads from an open archive.
func sharedTools(ctx context.Context, w *workspace.Workspace, store *archive.Archive, a *workspace.Agent, own []authored.Definition) ([]sharedTool, error) {
	var shared []sharedTool
	taken := map[string]bool{}
	for _, d := range own {
		taken[d.Name] = true
	}
	for i := range w.Agents {
		owner := &w.Agents[i]
		if owner.ID == a.ID {
			continue
		}
		defs, err := Definitions(owner)
		if err != nil {
			return nil, err
		}
		for _, d := range defs {
			h, err := store.ToolHealth(ctx, owner.ID, d.Name)
			if err != nil && !errors.Is(err, archive.ErrNotFound) {
				return nil, err
			}
			if !taken[d.Name] && slices.Contains(h.Shared, a.ID) {
				taken[d.Name] = true
				shared = append(shared, sharedTool{owner.ID, d})
			}
		}
	}
	return shared, nil
}
