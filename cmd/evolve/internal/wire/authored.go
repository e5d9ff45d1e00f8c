package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
	"evolve/runtime/authored"
	"evolve/runtime/safety"
	"evolve/runtime/tool"
)

// approvedTools are the tools that an agent wrote and a person approved, and the check of
// what it writes next.
type approvedTools struct {
	tools  []tool.Tool
	author func(ctx context.Context, draft json.RawMessage) tool.Result
	// quarantined names the tools that may not be called, which changes answers.
	quarantined string
	close       func() error
}

// authoredProcesses bounds the processes that run authored tools at once.
const authoredProcesses = 4

func (f *AgentFactory) approvedTools(ctx context.Context, a *workspace.Agent) (approvedTools, error) {
	language := a.Adapter.Model != workspace.ModelHeuristic
	if !language && len(a.ToolFiles) == 0 {
		return approvedTools{close: func() error { return nil }}, nil
	}
	defs, err := Definitions(a)
	if err != nil {
		return approvedTools{}, err
	}
	use, err := f.toolUse(ctx, a, defs)
	if err != nil {
		return approvedTools{}, err
	}
	pool := authored.NewPool(f.Sandbox.Sandbox(), authoredProcesses)
	return approvedTools{
		tools:       pool.Tools(defs, use.options()),
		author:      func(ctx context.Context, draft json.RawMessage) tool.Result { return examine(ctx, pool, draft) },
		quarantined: use.identity(),
		close:       func() error { pool.Close(); return f.keepHealth(use) },
	}, nil
}

// Definitions reads the approved tools of an agent's folder.
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

// examine checks the draft of a tool. One that passes its tests leaves a change
// request of the type tool, of which a proposal is made; none becomes callable.
func examine(ctx context.Context, pool *authored.Pool, draft json.RawMessage) tool.Result {
	d, err := authored.ParseDraft(draft)
	if err != nil {
		return tool.Failed(agent.ContractViolation, "the draft: %s", err)
	}
	report := pool.Check(ctx, d)
	if !report.Passed() {
		return tool.Failed(agent.ContractViolation, "the draft does not pass: %s", failures(report))
	}
	request := safety.NewRequest("tool", d.Name, "tool_create", "the agent wrote a tool: "+d.Description, d.Draft())
	res := tool.OK(fmt.Sprintf("the draft passes its %d tests; it cannot be called before a person has approved it", len(d.Tests)))
	res.Request = &request
	return res
}

// failures lists the tests that did not pass, with the reasons.
func failures(r authored.Report) string {
	if r.Problem != "" {
		return r.Problem
	}
	var list []string
	for _, t := range r.Tests {
		if !t.Passed {
			list = append(list, t.Name+": "+t.Reason)
		}
	}
	return strings.Join(list, "; ")
}
