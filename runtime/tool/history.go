package tool

import (
	"context"

	foreign "evolve/runtime/text"
)

// noHistory is the answer where nothing was recorded.
const noHistory = "no history yet"

type historyArgs struct {
	Domain string `json:"domain"`
}

const historySchema = `{"type":"object","additionalProperties":false,"properties":{"domain":{"type":"string","maxLength":60}}}`

// told returns a tool that reports on a domain, by default the turn's.
func told(name, description string, from func(env *Env) func(ctx context.Context, domain string) (string, bool)) Tool {
	return define(name, description, historySchema, Available, nil,
		func(ctx context.Context, env *Env, a historyArgs) Result {
			domain := a.Domain
			if domain == "" {
				domain = env.Domain
			}
			if tell := from(env); tell != nil {
				if text, ok := tell(ctx, domain); ok {
					return OK(foreign.Clip(text, MaxOutput))
				}
			}
			return OK(noHistory)
		})
}

func checkCalibration() Tool {
	return told("check_calibration", "How well this agent's stated confidence has met its success in a domain.",
		func(env *Env) func(context.Context, string) (string, bool) { return env.Calibration })
}

func whatDoIKnow() Tool {
	return told("what_do_i_know", "What this agent has shown to be good at, and not, in a domain.",
		func(env *Env) func(context.Context, string) (string, bool) { return env.Knowledge })
}

func recentCorrections() Tool {
	return told("recent_corrections", "What people have corrected of this agent's work in a domain, the newest first.",
		func(env *Env) func(context.Context, string) (string, bool) { return env.Corrections })
}
