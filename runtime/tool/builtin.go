package tool

import (
	"context"
	"encoding/json"
	"slices"

	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// builtin is a tool made of a declaration and a function.
type builtin struct {
	spec Spec
	run  func(ctx context.Context, env *Env, args json.RawMessage) (Result, error)
}

func (b builtin) Spec() Spec { return b.spec }

func (b builtin) Call(ctx context.Context, env *Env, args json.RawMessage) (Result, error) {
	return b.run(ctx, env, args)
}

// Builtin returns the tools of the built-in agent, all of them read-only. The heuristic
// model uses all of them, and they are the members of its search space.
func Builtin() []Tool {
	return []Tool{
		calculate(), getTime(), readFile(), listDirectory(), grep(), memorySearch(), note(), enableTool(),
		repoIndex(), fileSummary(), dependencyMap(),
	}
}

// Further returns the tools beyond the built-in ones, for language models: about the
// agent's own memory, config, state and history. All are available and none essential.
// Those whose text outlasts the turn declare that as their effect: memory_add and
// memory_retract remember, share shares, tool_create and tool_delete draft; the operator
// allows each by name. propose_patch declares a write, which the first level denies.
func Further() []Tool {
	return []Tool{
		memoryAdd(), memoryRetract(), memoryAudit(), pipelineConfig(), contextCheck(), statusReport(), reflect(),
		selfEvaluate(), checkCalibration(), whatDoIKnow(), recentCorrections(), delegate(), share(), proposePatch(), toolCreate(), toolDelete(),
	}
}

// Aside reports whether a local tool does no part of a task: it is about the agent's own
// memory, tools, config, state or history, so that no referral concerns it.
func Aside(name string) bool {
	switch name {
	case "memory_search", "note", "enable_tool":
		return true
	}
	return slices.ContainsFunc(Further(), func(t Tool) bool { return t.Spec().Name == name })
}

// define returns a local read-only tool whose arguments are decoded into A. The
// registry has validated them against the schema before.
func define[A any](name, description, schema string, category Category, domains []string,
	run func(ctx context.Context, env *Env, args A) Result,
) Tool {
	return builtin{
		spec: Spec{
			Name: name, Description: description, Schema: json.RawMessage(schema),
			Effect: Read, Origin: "local", Category: category, Domains: domains,
		},
		run: func(ctx context.Context, env *Env, raw json.RawMessage) (Result, error) {
			var args A
			if err := json.Unmarshal(raw, &args); err != nil {
				return Failed(agent.ContractViolation, "arguments do not fit the schema"), nil
			}
			return run(ctx, env, args), nil
		},
	}
}

// with returns a tool with another effect.
func with(effect Effect, t Tool) Tool {
	if b, ok := t.(builtin); ok {
		b.spec.Effect = effect
		return b
	}
	return t
}

// asJSON returns a result whose output is one JSON value.
func asJSON(v any) Result {
	out, err := text.Marshal(v)
	if err != nil {
		return Failed(agent.Execution, "the result could not be written")
	}
	return OK(string(out))
}

// maxListed bounds the bytes of each list, except the one that fitting shortens.
const maxListed = 8 << 10

// some returns the first entries of a list that fit the bound, and reports whether all
// do.
func some(entries []string) ([]string, bool) {
	spent := 0
	for i, e := range entries {
		if spent += len(e) + 4; spent > maxListed {
			return entries[:i], false
		}
	}
	return entries, true
}

// fitting returns a result with at most n entries, as many as fit into the bound on
// outputs: truncated JSON would be invalid.
func fitting(n int, with func(n int) any) Result {
	for {
		res := asJSON(with(n))
		if len(res.Output) <= MaxOutput || n == 0 {
			return res
		}
		n = min(n-1, n*MaxOutput/len(res.Output))
	}
}
