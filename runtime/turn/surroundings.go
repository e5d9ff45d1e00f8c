package turn

import (
	"context"
	"maps"
	"slices"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/tool"
)

// connectTools gives the tools access to the agent and the turn.
func (r *run) connectTools() {
	a, env := r.agent, r.env
	env.Now = a.clock()
	env.Recall = func(ctx context.Context, text string, wide bool) []memory.Hit { return r.recall(ctx, text, wide) }
	env.Enable = r.enable
	env.Flagged, env.Scrub = a.flagged, a.scrub
	if !a.language {
		return
	}
	env.Surroundings = tool.Surroundings{
		Domain: r.domain, Config: r.config, Space: a.space, Goal: r.goal, Request: changeRequest,
		Facts: slices.Clone(r.session.Facts), Retracted: maps.Clone(r.session.Retracted),
		Audit: func(ctx context.Context, topic string) []memory.Advice {
			return r.index.Audit(ctx, topic, r.domain, env.Now)
		},
	}
	env.Find, env.Delete = r.findTools, a.remove
	if a.author != nil {
		env.Author = r.draft
	}
	if env.Retracted == nil {
		env.Retracted = map[string]string{}
	}
	if a.board != nil && r.req.Live {
		env.Share = func(key, value string, ttl time.Duration, readers []string) error {
			return a.board.Put(a.id, key, a.scrub(value), ttl, readers...)
		}
	}
	env.Calibration, env.Knowledge, env.Corrections = told(a.past.CalibrationText), told(a.past.KnowledgeText), told(a.past.CorrectionsText)
	env.Delegates = told(r.suggest)
}

// told adapts a function to the signature that the tools need. The function returns a
// text on a domain.
func told(text func(domain string) (string, bool)) func(context.Context, string) (string, bool) {
	return func(_ context.Context, domain string) (string, bool) { return text(domain) }
}

// progress updates the state of the turn that the tools can read.
func (r *run) progress(remaining int, history []agent.Message) {
	if !r.agent.language {
		return
	}
	env := r.env
	env.Remaining = remaining
	env.Budget = tool.Budget{
		Tokens: r.usage.InputTokens + r.usage.OutputTokens, MaxTokens: r.limits.MaxTokens,
		CostUSD: r.usage.CostUSD, MaxCostUSD: r.limits.MaxCostUSD,
	}
	tokens := memory.Tokens(r.session.Summary) + memory.Tokens(r.goal)
	for _, m := range history {
		tokens += memory.Tokens(m.Content)
	}
	for _, s := range env.Steps {
		tokens += memory.Tokens(s.Output)
	}
	env.Context = tool.Context{
		Tokens: tokens, Window: r.window(), Messages: len(history),
		DistillTokens:   r.settings.distill.Tokens,
		DistillMessages: r.settings.distill.Messages,
	}
}

// refresh applies the changes that tools made to the session's facts and retractions, so
// the memory takes them into account.
func (r *run) refresh() {
	if !r.agent.language {
		return
	}
	env := r.env
	if len(env.Facts) == len(r.session.Facts) && maps.Equal(env.Retracted, r.session.Retracted) {
		return
	}
	r.session.Facts, r.session.Retracted = slices.Clone(env.Facts), maps.Clone(env.Retracted)
	r.index = r.agent.memories.Extend(r.remembered(r.session.Facts)).Without(r.session.Retracted)
}
