package tool

import (
	"context"
	"encoding/json"
	"slices"

	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// builtin is a tool that consists of a declaration and a function.
type builtin struct {
	spec Spec
	run  func(ctx context.Context, env *Env, args json.RawMessage) (Result, error)
}

func (b builtin) Spec() Spec { return b.spec }

func (b builtin) Call(ctx context.Context, env *Env, args json.RawMessage) (Result, error) {
	return b.run(ctx, env, args)
}

// Builtin returns the tools of the built-in agent, all of them read-only. The heuristic
// model uses all of them, and they are the tools in its search space.
func Builtin() []Tool {
	return []Tool{
		calculate(), getTime(), readFile(), listDirectory(), grep(), memorySearch(), note(), enableTool(),
		repoIndex(), fileSummary(), dependencyMap(),
	}
}

// Further returns the tools for language models beyond the built-in ones: tools about the
// agent's own memory, config, state and history. All of them have the category available;
// none is essential. Tools whose text outlasts the turn declare that as their effect:
// memory_add and memory_retract have the effect remember, share has share, and tool_create
// and tool_delete have draft; the operator must allow each of them by name. propose_patch
// declares a write, which the lowest level of autonomy denies.
func Further() []Tool {
	return []Tool{
		memoryAdd(), memoryRetract(), memoryAudit(), pipelineConfig(), contextCheck(), statusReport(), reflect(),
		selfEvaluate(), checkCalibration(), whatDoIKnow(), recentCorrections(), delegate(), share(), proposePatch(), toolCreate(), toolDelete(),
	}
}

// Aside reports whether a local tool never carries out a part of a task, because it is
// about the agent's own memory, tools, config, state or history. No referral concerns such
// a tool.
func Aside(name string) bool {
	switch name {
	case "memory_search", "note", "enable_tool":
		return true
	}
	return slices.ContainsFunc(Further(), func(t Tool) bool { return t.Spec().Name == name })
}

// define returns a local read-only tool whose arguments are decoded into A. The registry
// has already validated them against the schema.
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

// with returns a copy of t that has the given effect.
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
		return Failed(agent.Execution, "the result could not be written as JSON")
	}
	return OK(string(out))
}

// maxListed limits the length of each list, in bytes, except the one that fitting shortens.
const maxListed = 8 << 10

// some returns the first entries of a list that fit the limit, and reports whether all of
// them do.
func some(entries []string) ([]string, bool) {
	spent := 0
	for i, e := range entries {
		if spent += len(e) + 4; spent > maxListed {
			return entries[:i], false
		}
	}
	return entries, true
}

// fitting returns the result that with(n) builds for n entries. If that result exceeds
// the limit on outputs, fitting reduces n until the result fits, because truncated JSON
// would be invalid.
func fitting(n int, with func(n int) any) Result {
	for {
		res := asJSON(with(n))
		if len(res.Output) <= MaxOutput || n == 0 {
			return res
		}
		n = min(n-1, n*MaxOutput/len(res.Output))
	}
}
