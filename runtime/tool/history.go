package tool

import (
	"context"

	foreign "evolve/runtime/text"
)

// noHistory is the answer if nothing was recorded.
const noHistory = "no history yet"

type historyArgs struct {
	Domain string `json:"domain"`
}

const historySchema = `{"type":"object","additionalProperties":false,"properties":{"domain":{"type":"string","maxLength":60}}}`

// told returns a tool that reports on a domain, by default the turn's, in at most limit
// bytes. from selects the function that provides the report. If there is nothing to
// report, the tool's output is the given fallback text (otherwise).
func told(name, description, otherwise string, limit int, from func(env *Env) func(ctx context.Context, domain string) (string, bool)) Tool {
	return define(name, description, historySchema, Available, nil,
		func(ctx context.Context, env *Env, a historyArgs) Result {
			domain := a.Domain
			if domain == "" {
				domain = env.Domain
			}
			if tell := from(env); tell != nil {
				if text, ok := tell(ctx, domain); ok {
					return OK(foreign.Clip(text, limit))
				}
			}
			return OK(otherwise)
		})
}

func checkCalibration() Tool {
	return told("check_calibration", "How well this agent's stated confidence has met its success in a domain.", noHistory, MaxOutput,
		func(env *Env) func(context.Context, string) (string, bool) { return env.Calibration })
}

func whatDoIKnow() Tool {
	return told("what_do_i_know", "What this agent has shown to be good at, and not, in a domain.", noHistory, MaxOutput,
		func(env *Env) func(context.Context, string) (string, bool) { return env.Knowledge })
}

func recentCorrections() Tool {
	return told("recent_corrections", "What people have corrected of this agent's work in a domain, the newest first.", noHistory, MaxOutput,
		func(env *Env) func(context.Context, string) (string, bool) { return env.Corrections })
}

func delegate() Tool {
	return told("delegate", "Ask whether another agent is better suited to this domain. Nothing is handed over: the answer is a suggestion.",
		"no other agent is known to be better suited", 1000,
		func(env *Env) func(context.Context, string) (string, bool) { return env.Delegates })
}
