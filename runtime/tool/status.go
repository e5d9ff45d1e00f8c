package tool

import (
	"context"

	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// ContextCheck is the result of context_check.
type ContextCheck struct {
	Tokens   int     `json:"tokens"`
	Window   int     `json:"window,omitempty"` // left out when unknown
	Used     float64 `json:"used,omitempty"`   // share of the window, in [0,1] while the prompt fits
	Messages int     `json:"messages"`
	Notes    int     `json:"notes"`
	// DistillNear reports whether the history has reached four fifths of a size at which it
	// is distilled, which is one of the thresholds or 90 % of the window.
	DistillNear bool `json:"distillation_near"`
}

// near is the share of a threshold that must be reached for the history to count as close
// to the threshold.
const near = .8

func contextCheck() Tool {
	return define("context_check",
		"How full the context is, as JSON: tokens used of the window, messages, notes, and whether history will soon be distilled.",
		`{"type":"object","additionalProperties":false}`, Available, nil,
		func(_ context.Context, env *Env, _ struct{}) Result {
			c := env.Context
			out := ContextCheck{Tokens: c.Tokens, Window: c.Window, Messages: c.Messages, Notes: len(env.Notes)}
			if c.Window > 0 {
				out.Used = float64(c.Tokens) / float64(c.Window)
			}
			reached := func(have, threshold int) bool { return threshold > 0 && float64(have) >= near*float64(threshold) }
			out.DistillNear = reached(c.Tokens, c.DistillTokens) || reached(c.Messages, c.DistillMessages) || out.Used >= near*.9
			return asJSON(out)
		})
}

// StatusReport is the result of status_report.
type StatusReport struct {
	Goal      string     `json:"goal"`
	Domain    string     `json:"domain,omitempty"`
	Calls     int        `json:"calls"`
	Tools     []ToolUse  `json:"tools"`
	Remaining int        `json:"remaining_iterations"`
	Budget    BudgetLeft `json:"budget"`
}

// ToolUse counts the outcomes of a tool's calls.
type ToolUse struct {
	Tool     string                `json:"tool"`
	Calls    int                   `json:"calls"`
	Outcomes map[agent.Outcome]int `json:"outcomes"`
}

// BudgetLeft holds the spending, and the amount that remains of each limit.
type BudgetLeft struct {
	Tokens     int64    `json:"tokens_spent"`
	TokensLeft *int64   `json:"tokens_left,omitempty"`
	USD        float64  `json:"usd_spent"`
	USDLeft    *float64 `json:"usd_left,omitempty"`
}

func statusReport() Tool {
	return define("status_report",
		"Where this turn stands, as JSON: the goal, the tools used with their outcomes, and the iterations and budget that are left.",
		`{"type":"object","additionalProperties":false}`, Available, nil,
		func(_ context.Context, env *Env, _ struct{}) Result {
			out := StatusReport{
				Goal: text.Clip(env.Goal, 2000), Domain: env.Domain, Calls: len(env.Steps), Tools: []ToolUse{}, Remaining: env.Remaining,
				Budget: BudgetLeft{Tokens: env.Budget.Tokens, USD: env.Budget.CostUSD},
			}
			if most := env.Budget.MaxTokens; most > 0 {
				left := max(0, most-env.Budget.Tokens)
				out.Budget.TokensLeft = &left
			}
			if most := env.Budget.MaxCostUSD; most > 0 {
				left := max(0, most-env.Budget.CostUSD)
				out.Budget.USDLeft = &left
			}
			uses := map[string]*ToolUse{}
			for _, s := range env.Steps {
				u := uses[s.Tool]
				if u == nil {
					u = &ToolUse{Tool: text.Clip(s.Tool, 80), Outcomes: map[agent.Outcome]int{}}
					uses[s.Tool] = u
				}
				u.Calls++
				u.Outcomes[s.Outcome]++
			}
			names := sorted(uses)
			return fitting(len(names), func(n int) any {
				out.Tools = make([]ToolUse, 0, n)
				for _, name := range names[:n] {
					out.Tools = append(out.Tools, *uses[name])
				}
				return out
			})
		})
}
