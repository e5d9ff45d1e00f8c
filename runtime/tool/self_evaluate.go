package tool

import (
	"context"
	"fmt"
	"strings"

	"evolve/runtime/agent"
	foreign "evolve/runtime/text"
)

// SelfEvaluation is the result of self_evaluate: the counts of a session's calls, what they
// show about the three questions, and weaknesses with their evidence.
type SelfEvaluation struct {
	Calls      int                   `json:"calls"`
	Outcomes   map[agent.Outcome]int `json:"outcomes"`
	Questions  []Question            `json:"questions"`
	Weaknesses []Weakness            `json:"weaknesses"`
	// History summarises earlier turns in the domain: the agent's strengths, the
	// calibration of its confidence, and people's corrections.
	History string `json:"history"`
}

// Question is one of the three self-evaluation questions, with the evidence from the calls.
type Question struct {
	Question string `json:"question"`
	// Yes is the number of calls, out of Of, that support the answer yes.
	Yes int `json:"calls_for_yes"`
	Of  int `json:"calls_looked_at"`
}

// Weakness is an unfavourable pattern in the calls, such as a repeated failure.
type Weakness struct {
	Pattern  string `json:"pattern"`
	Times    int    `json:"times"`
	Evidence string `json:"evidence"`
}

// maxHistory limits each part of the history, in bytes.
const maxHistory = 2000

func selfEvaluate() Tool {
	return define("self_evaluate",
		"Hold this session against three questions, as JSON: was the letter of the deliverable met, was its spirit, should it be a referral; with counts, and weaknesses with evidence.",
		`{"type":"object","additionalProperties":false}`, Available, nil,
		func(ctx context.Context, env *Env, _ struct{}) Result {
			out := SelfEvaluation{Calls: len(env.Steps), Outcomes: map[agent.Outcome]int{}, Weaknesses: []Weakness{}, History: noHistory}
			for _, s := range env.Steps {
				out.Outcomes[s.Outcome]++
			}
			seen := look(env)
			done := out.Outcomes[agent.OK]
			referred := out.Outcomes[agent.WrongToolBoundary] + out.Outcomes[agent.LowUtility]
			out.Questions = []Question{
				{"Was the letter of the deliverable met? Calls that did what they were asked count for it.", done, out.Calls},
				{"Was its spirit met? Calls whose result was used later count for it.", max(0, done-len(seen.Unused)), done},
				{"Should this be a referral? Calls that were referred or of little use count for it.", referred, out.Calls},
			}
			for _, r := range seen.Failures {
				out.Weaknesses = append(out.Weaknesses, Weakness{fmt.Sprintf("%s ends in %s", r.Tool, r.Outcome), r.Times, r.Last})
			}
			for _, r := range seen.Repeats {
				out.Weaknesses = append(out.Weaknesses, Weakness{r.Tool + " is called again with the same arguments", r.Times, r.Last})
			}
			if n := len(seen.Unused); n > 0 && done > 0 && 2*n > done {
				u := seen.Unused[n-1]
				out.Weaknesses = append(out.Weaknesses, Weakness{"most findings are not used", n, u.Tool + ": " + u.Output})
			}
			var history []string
			for _, tell := range []func(context.Context, string) (string, bool){env.Knowledge, env.Calibration, env.Corrections} {
				if tell == nil {
					continue
				}
				if text, ok := tell(ctx, env.Domain); ok {
					history = append(history, foreign.Clip(strings.TrimSpace(text), maxHistory, foreign.Mark))
				}
			}
			if len(history) > 0 {
				out.History = strings.Join(history, "\n\n")
			}
			return asJSON(out)
		})
}
