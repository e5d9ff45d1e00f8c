package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
	"evolve/runtime/authored"
	"evolve/runtime/safety"
	"evolve/runtime/tool"
)

// approvedTools holds the tools that an agent wrote and a person approved, and the function
// that checks further tools that the agent writes.
type approvedTools struct {
	tools  []tool.Tool
	author func(ctx context.Context, draft json.RawMessage) (tool.Tool, tool.Result)
	remove func(name, reason string) tool.Result
	// identity names the tools that must not be called and the tools that other agents
	// share, because both affect answers.
	identity string
	close    func() error
}

// authoredProcesses limits the number of processes that run authored tools at once.
const authoredProcesses = 4

func (f *AgentFactory) approvedTools(ctx context.Context, a *workspace.Agent) (approvedTools, error) {
	language := a.Adapter.Model != workspace.ModelHeuristic
	var shared []sharedTool
	if !language && len(a.ToolFiles) == 0 {
		return approvedTools{close: func() error { return nil }}, nil
	}
	defs, err := Definitions(a)
	if err != nil {
		return approvedTools{}, err
	}
	if language {
		if shared, err = f.sharedWith(ctx, a, defs); err != nil {
			return approvedTools{}, err
		}
	}
	use, err := f.toolUse(ctx, a, defs, shared)
	if err != nil {
		return approvedTools{}, err
	}
	pool := authored.NewPool(f.Sandbox.Sandbox(), authoredProcesses)
	own := &author{pool: pool, defs: defs, shared: shared}
	return approvedTools{
		tools:    pool.Tools(use.definitions(), use.options()),
		author:   own.examine,
		remove:   own.remove,
		identity: use.identity(),
		close:    func() error { pool.Close(); return f.keepHealth(use) },
	}, nil
}

// Definitions reads the approved tools from an agent's folder.
func Definitions(a *workspace.Agent) ([]authored.Definition, error) {
	var defs []authored.Definition
	for _, file := range workspace.SortedNames(a.ToolFiles) {
		name, isSource := strings.CutSuffix(file, ".star")
		if !isSource {
			continue
		}
		d, err := authored.Parse(a.ToolFiles[file], a.ToolFiles[name+".json"])
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", name, err)
		}
		defs = append(defs, d)
	}
	return defs, nil
}

// author checks the drafts of tools that an agent writes. defs are the tools in use that
// the agent wrote; shared are the tools of other agents that it may call.
type author struct {
	pool   *authored.Pool
	defs   []authored.Definition
	shared []sharedTool
}

// own returns the agent's tool with the given name.
func (w *author) own(name string) (authored.Definition, bool) {
	i := slices.IndexFunc(w.defs, func(d authored.Definition) bool { return d.Name == name })
	if i < 0 {
		return authored.Definition{}, false
	}
	return w.defs[i], true
}

// examine checks the draft of a tool, or of a new version of a tool that the agent wrote. A
// draft that passes its tests is returned as a tool, together with the change request from
// which a proposal is made if the tool helped.
func (w *author) examine(ctx context.Context, draft json.RawMessage) (tool.Tool, tool.Result) {
	d, err := authored.ParseDraft(draft)
	if err != nil {
		return nil, tool.Failed(agent.ContractViolation, "the draft: %s", err)
	}
	before, updates := w.own(d.Name)
	if i := slices.IndexFunc(w.shared, func(t sharedTool) bool { return t.def.Name == d.Name }); i >= 0 {
		return nil, tool.Failed(agent.ContractViolation, "the draft: %q is the name of another tool, which %s shares", d.Name, w.shared[i].owner)
	}
	if updates && string(before.Draft()) == string(d.Draft()) {
		return nil, tool.Failed(agent.ContractViolation, "the draft: %s is already in use with the same text", d.Name)
	}
	report := w.pool.Check(ctx, d)
	switch {
	case report.Problem != "":
		return nil, tool.Failed(agent.Execution, "the draft could not be tested: %s", report.Problem)
	case !report.Passed():
		return nil, tool.Failed(agent.ContractViolation, "the draft fails its tests: %s", report.Failures())
	}
	wrote, callable := "a tool", "%s can be called until this turn ends, and a person decides whether it stays"
	if updates {
		wrote = "a new version of its tool"
		callable = "calls to %s use the new version until this turn ends, and a person decides whether it is kept"
	}
	request := safety.NewRequest("tool", d.Name, "tool_create", "the agent wrote "+wrote+": "+d.Description, d.Draft())
	res := tool.OK(fmt.Sprintf("the draft passes its %d tests; "+callable, len(d.Tests), d.Name))
	res.Request = &request
	return w.pool.Tools([]authored.Definition{d}, authored.Options{})[0], res
}

// remove returns the change request to delete a tool that the agent wrote.
func (w *author) remove(name, reason string) tool.Result {
	if _, ok := w.own(name); !ok {
		return tool.Failed(agent.ContractViolation, "you have written no tool %q that is in use", name)
	}
	args, err := json.Marshal(map[string]string{"name": name, "reason": reason})
	if err != nil {
		return tool.Failed(agent.ContractViolation, "the arguments are not JSON")
	}
	res := tool.OK(name + " stays until a person decides on its deletion")
	request := safety.NewRequest("tool", name, "tool_delete", "the agent wants to delete its tool: "+reason, args)
	res.Request = &request
	return res
}
