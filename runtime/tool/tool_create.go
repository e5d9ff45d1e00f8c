package tool

import (
	"context"
	"encoding/json"

	"evolve/runtime/agent"
)

// maxSource is the maximum size of an authored tool, in bytes.
const maxSource = 8 << 10

// draft holds the parts of an authored tool as the agent passes them; runtime/authored
// checks their contents.
type draft struct {
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Source      string            `json:"source"`
	Schema      json.RawMessage   `json:"schema,omitempty"`
	Domains     []string          `json:"domains,omitempty"`
	Tests       []json.RawMessage `json:"tests"`
}

// toolCreate passes a draft to Author. A draft outlasts the turn only as a proposal that
// a person approves.
func toolCreate() Tool {
	return with(Draft, define("tool_create",
		"Draft a tool in Starlark, with tests: def run(args). A draft that passes its tests can be called until this turn ends; if it helped, it is proposed to a person. A draft that fails leaves nothing behind: correct it and send all of it again.",
		`{"type":"object","required":["name","description","schema","source","tests"],"additionalProperties":false,"properties":{"name":{"type":"string","pattern":"^[a-z][a-z0-9_]{0,47}$"},"description":{"type":"string","minLength":1,"maxLength":1000},"source":{"type":"string","minLength":1,"maxLength":8192},"schema":{"type":"object"},"domains":{"type":"array","maxItems":20,"items":{"type":"string","maxLength":60}},"tests":{"type":"array","minItems":2,"maxItems":20,"items":{"type":"object","required":["name","args"],"properties":{"name":{"type":"string"},"args":{"type":"object"},"want":{"description":"what run returns"},"want_error":{"type":"string","description":"instead of want: a part of the error"}}}}}}`,
		Available, []string{"engineering"},
		func(ctx context.Context, env *Env, a draft) Result {
			if len(a.Source) > maxSource {
				return Failed(agent.ContractViolation, "a source can have at most %d bytes", maxSource)
			}
			if env.Author == nil {
				return Failed(agent.Denied, "tools cannot be written in this turn")
			}
			raw, err := json.Marshal(a)
			if err != nil {
				return Failed(agent.ContractViolation, "the draft is not JSON")
			}
			return env.Author(ctx, raw)
		}))
}

type toolDeleteArgs struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// toolDelete proposes the deletion of a tool that the agent wrote.
func toolDelete() Tool {
	return with(Draft, define("tool_delete",
		"Propose to delete a tool that you wrote and that was approved. It stays until a person decides.",
		`{"type":"object","required":["name","reason"],"additionalProperties":false,"properties":{"name":{"type":"string","pattern":"^[a-z][a-z0-9_]{0,47}$"},"reason":{"type":"string","minLength":1,"maxLength":300}}}`,
		Available, []string{"engineering"},
		func(_ context.Context, env *Env, a toolDeleteArgs) Result {
			if env.Delete == nil {
				return Failed(agent.Denied, "tools cannot be deleted in this turn")
			}
			return env.Delete(a.Name, a.Reason)
		}))
}
