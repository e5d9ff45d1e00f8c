package wire

import (
	"context"
	"fmt"
	"slices"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
	"evolve/runtime/authored"
	"evolve/runtime/experience"
	"evolve/runtime/turn"
)

// Frozen holds everything on which the evaluations of a built-in agent depend, apart from
// the agent's folder: the records that the run read from the archive when it opened the
// agent. A worker has no archive and receives Frozen with the agent.
type Frozen struct {
	// Withheld holds the ids of the memories that evaluations do not get.
	Withheld []string `json:"withheld,omitempty"`
	// Experience is the part of the experience of live turns that evaluations get.
	Experience *experience.Experience `json:"experience,omitempty"`
	// Shared holds the tools of other agents that a person shared with the agent, and
	// Health holds the health of all the agent's tools, keyed by name.
	Shared []FrozenTool               `json:"shared,omitempty"`
	Health map[string]authored.Health `json:"health,omitempty"`
}

// FrozenTool is a tool that another agent wrote.
type FrozenTool struct {
	Owner string `json:"owner"`
	// Source and Record are the two files of the tool.
	Source []byte `json:"source"`
	Record []byte `json:"record"`
}

// freeze returns everything on which the evaluations of a built-in agent depend, apart
// from the agent's folder. For an operator's own program or service it returns nothing,
// because such an agent gets nothing from the archive.
func (f *AgentFactory) freeze(ctx context.Context, a *workspace.Agent) (Frozen, error) {
	var z Frozen
	if a.Adapter.Kind != workspace.KindBuiltin {
		return z, nil
	}
	held, err := f.heldOut(ctx)
	if err != nil {
		return z, err
	}
	_, z.Withheld = held.Without(a.Memories, f.Sandbox.Scrubber.String)
	var options turn.Options
	if _, err := f.addExperience(ctx, a, &options, held); err != nil {
		return z, err
	}
	z.Experience = options.Experience
	defs, err := Definitions(a)
	if err != nil {
		return z, err
	}
	var shared []sharedTool
	if a.Adapter.Model != workspace.ModelHeuristic {
		if shared, err = f.sharedWith(ctx, a, defs); err != nil {
			return z, err
		}
	}
	for _, t := range shared {
		source, record := t.def.Encode()
		z.Shared = append(z.Shared, FrozenTool{t.owner, source, record})
	}
	use, err := f.toolUse(ctx, a, defs, shared)
	if err != nil {
		return z, err
	}
	z.Health = use.health
	return z, nil
}

// memories returns an agent's memories without the withheld ones, and the ids of the
// withheld memories.
func (z *Frozen) memories(list []agent.Memory) ([]agent.Memory, []string) {
	left := slices.DeleteFunc(slices.Clone(list), func(m agent.Memory) bool { return slices.Contains(z.Withheld, m.ID) })
	return left, z.Withheld
}

// shared returns the tools of other agents, parsed from z.Shared.
func (z *Frozen) shared() ([]sharedTool, error) {
	var list []sharedTool
	for _, t := range z.Shared {
		d, err := authored.Parse(t.Source, t.Record)
		if err != nil {
			return nil, fmt.Errorf("a shared tool of %s: %w", t.Owner, err)
		}
		list = append(list, sharedTool{t.Owner, d})
	}
	return list, nil
}
