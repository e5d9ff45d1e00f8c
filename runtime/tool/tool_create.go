package tool

import (
	"context"
	"encoding/json"

	"evolve/runtime/agent"
)

// maxSource bounds an authored tool, in bytes.
const maxSource = 8 << 10

// draft is the form of an authored tool; runtime/authored checks its contents.
type draft struct {
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Source      string            `json:"source"`
	Schema      json.RawMessage   `json:"schema,omitempty"`
	Domains     []string          `json:"domains,omitempty"`
	Tests       []json.RawMessage `json:"tests"`
}

// toolCreate passes a draft to Author, which turns it at most into a proposal that
// waits for a person.
func toolCreate() Tool {
	return with(Draft, define("tool_create",
		"Draft a tool in Starlark, with tests: def run(args). The draft is checked and proposed to a person; it cannot be called before one has approved it.",
		`{"type":"object","required":["name","description","schema","source","tests"],"additionalProperties":false,"properties":{"name":{"type":"string","pattern":"^[a-z][a-z0-9_]{0,47}$"},"description":{"type":"string","minLength":1,"maxLength":1000},"source":{"type":"string","minLength":1,"maxLength":8192},"schema":{"type":"object"},"domains":{"type":"array","maxItems":20,"items":{"type":"string","maxLength":60}},"tests":{"type":"array","minItems":2,"maxItems":20,"items":{"type":"object","required":["name","args"],"properties":{"name":{"type":"string"},"args":{"type":"object"},"want":{"description":"what run returns"},"want_error":{"type":"string","description":"instead of want: a part of the error"}}}}}}`,
		Available, []string{"engineering"},
		func(ctx context.Context, env *Env, a draft) Result {
			if len(a.Source) > maxSource {
				return Failed(agent.ContractViolation, "a source has at most %d bytes", maxSource)
			}
			if env.Author == nil {
				return Failed(agent.Denied, "no tools are authored here")
			}
			raw, err := json.Marshal(a)
			if err != nil {
				return Failed(agent.ContractViolation, "the draft is no JSON")
			}
			return env.Author(ctx, raw)
		}))
}
