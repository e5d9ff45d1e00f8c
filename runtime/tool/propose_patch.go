package tool

import (
	"context"
	"encoding/json"

	"evolve/runtime/agent"
)

type proposePatchArgs struct {
	Target string `json:"target"`
	Reason string `json:"reason"`
	Patch  string `json:"patch"`
}

func proposePatch() Tool {
	return with(Write, define("propose_patch",
		"Ask a person to change source, config, policy or another file of the agent's own: what, why, and the change itself. Nothing is changed; a change request is left.",
		`{"type":"object","required":["target","reason","patch"],"additionalProperties":false,"properties":{"target":{"type":"string","minLength":1,"maxLength":300},"reason":{"type":"string","minLength":1,"maxLength":2000},"patch":{"type":"string","minLength":1,"maxLength":12000}}}`,
		Available, []string{"engineering"},
		func(_ context.Context, env *Env, a proposePatchArgs) Result {
			args, err := json.Marshal(a)
			if err != nil {
				return Failed(agent.ContractViolation, "the arguments are not JSON")
			}
			return env.ask("source", a.Target, a.Reason, args)
		}))
}
