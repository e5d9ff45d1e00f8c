package tool

import (
	"context"

	foreign "evolve/runtime/text"
)

func delegate() Tool {
	return define("delegate",
		"Ask whether another agent is better suited to this domain. Nothing is handed over: the answer is a suggestion.",
		historySchema, Available, nil,
		func(_ context.Context, env *Env, a historyArgs) Result {
			domain := a.Domain
			if domain == "" {
				domain = env.Domain
			}
			if env.Delegates != nil {
				if text, ok := env.Delegates(domain); ok {
					return OK(foreign.Clip(text, 1000))
				}
			}
			return OK("no other agent is known to be better suited")
		})
}
