package cli

import (
	"slices"
	"strings"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/mcp"
	"evolve/runtime/policy"
	"evolve/runtime/text"
	"evolve/runtime/tool"
)

// policyOf is a policy together with the agent's tools or providers to which it applies,
// in `evolve agent show --json`.
type policyOf struct {
	Kind   policy.Kind    `json:"kind"`
	Names  []string       `json:"names"`
	Origin string         `json:"origin,omitempty"`
	Values []policy.Value `json:"values"`
}

// policiesOf resolves the policy of every tool and provider that an agent can call, and
// groups the calls that have the same policy. An operator's own agent calls no tool or
// provider through the runtime; instead, each of its tasks as a whole is subject to the
// policy of the agent's role.
func policiesOf(w *workspace.Workspace, a *workspace.Agent) (string, []policyOf, error) {
	book := w.Settings.Policies
	engine, err := policy.New(policy.Options{Book: book})
	if err != nil {
		return "", nil, err
	}
	lines := []policyOf{}
	for _, call := range callsOf(w, a) {
		call.Agent = a.ID
		_, values := engine.Resolve(call)
		i := slices.IndexFunc(lines, func(l policyOf) bool {
			return l.Kind == call.Kind && l.Origin == call.Origin && slices.Equal(l.Values, values)
		})
		if i < 0 {
			i = len(lines)
			lines = append(lines, policyOf{Kind: call.Kind, Origin: call.Origin, Values: values})
		}
		lines[i].Names = append(lines[i].Names, call.Name)
	}
	return book.Version(), lines, nil
}

// callsOf lists the calls that a built-in agent can make. For any other agent, the list
// contains only a call to the agent itself, and is empty if the agent has no role.
func callsOf(w *workspace.Workspace, a *workspace.Agent) []policy.Call {
	if a.Adapter.Kind != workspace.KindBuiltin {
		if _, ok := w.Settings.Policies.Roles[a.ID]; !ok {
			return nil
		}
		return []policy.Call{{Kind: policy.Agent, Name: a.ID}}
	}
	var calls []policy.Call
	local := tool.Builtin()
	if a.Adapter.Model != workspace.ModelHeuristic {
		local = append(local, tool.Further()...)
		for _, name := range workspace.SortedNames(w.Settings.Providers) {
			calls = append(calls, policy.Call{Kind: policy.Provider, Name: name})
		}
	}
	for _, t := range local {
		if name := t.Spec().Name; a.Tools == nil || slices.Contains(a.Tools, name) {
			calls = append(calls, policy.Call{Kind: policy.Tool, Name: name, Origin: t.Spec().Origin})
		}
	}
	for _, file := range workspace.SortedNames(a.ToolFiles) {
		if name, ok := strings.CutSuffix(file, ".star"); ok {
			calls = append(calls, policy.Call{Kind: policy.Tool, Name: name, Origin: "authored"})
		}
	}
	for _, server := range a.MCP {
		for _, name := range workspace.SortedNames(w.Settings.MCP[server].Tools) {
			calls = append(calls, policy.Call{Kind: policy.Tool, Name: mcp.ToolName(server, name), Origin: "mcp:" + server})
		}
	}
	return calls
}

func printPolicies(con *console, version string, lines []policyOf) {
	if len(lines) == 0 {
		return
	}
	con.printf("\npolicies %s (`evolve help policies`)\n", version)
	for _, l := range lines {
		con.printf("\n  %s %s\n", l.Kind, text.Visible(strings.Join(l.Names, ", ")))
		for _, v := range l.Values {
			con.printf("    %-24s %-12s %s\n", v.Setting, v.Value, text.Visible(v.Origin))
		}
	}
}
