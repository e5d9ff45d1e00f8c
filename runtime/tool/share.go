package tool

import (
	"context"
	"time"

	"evolve/runtime/agent"
)

type shareArgs struct {
	Key     string   `json:"key"`
	Value   string   `json:"value"`
	Minutes int      `json:"minutes"`
	Readers []string `json:"readers"`
}

func share() Tool {
	return with(Share, define("share",
		"Put a short text on the blackboard for other agents: for all when its key begins with broadcast., else for the readers named. It is gone after some minutes.",
		`{"type":"object","required":["key","value","minutes"],"additionalProperties":false,"properties":{"key":{"type":"string","minLength":1,"maxLength":100},"value":{"type":"string","minLength":1,"maxLength":1024},"minutes":{"type":"integer","minimum":1,"maximum":1440},"readers":{"type":"array","maxItems":16,"items":{"type":"string","maxLength":100}}}}`,
		Available, nil,
		func(_ context.Context, env *Env, a shareArgs) Result {
			if env.Share == nil {
				return Failed(agent.Denied, "there is no blackboard here")
			}
			if err := env.Share(a.Key, a.Value, time.Duration(a.Minutes)*time.Minute, a.Readers); err != nil {
				return Failed(agent.ContractViolation, "%s", err)
			}
			return OK("shared as " + a.Key)
		}))
}
