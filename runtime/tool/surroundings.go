package tool

import (
	"context"
	"encoding/json"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

// Surroundings are what an agent's tools may know of it and of its turn. Every field
// may be left zero; the tools then say that there is nothing. Whoever runs the turn
// keeps them up to date between calls.
type Surroundings struct {
	// Domain is the turn's.
	Domain string
	// Config is what the turn runs under, Space what it is drawn from.
	Config agent.Config
	Space  agent.Space
	// Request makes the change request for something that only a person may do: what
	// kind of thing, which one, why, and the call's arguments. Nil leaves none.
	Request func(kind, target, reason string, args json.RawMessage) *agent.ChangeRequest

	// Facts are the memories that this session has added, oldest first; memory_add
	// adds to them. Retracted maps the ids of memories to the reasons why they are not
	// to be recalled; memory_retract writes it. Both are the session's: neither the
	// agent's files nor the archive are touched.
	Facts     []agent.Memory
	Retracted map[string]string
	// Audit advises on the memories of a topic.
	Audit func(ctx context.Context, topic string) []memory.Advice

	// Goal is the turn's, Steps the calls made so far, oldest first.
	Goal  string
	Steps []Step
	// Remaining is the number of model calls left.
	Remaining int
	Budget    Budget
	Context   Context

	// Calibration, Knowledge and Corrections tell of the agent's history in a domain, in
	// words or JSON: how well its confidence has met its success, what it is good at,
	// and what people have corrected. False means that there is no history.
	Calibration func(ctx context.Context, domain string) (string, bool)
	Knowledge   func(ctx context.Context, domain string) (string, bool)
	Corrections func(ctx context.Context, domain string) (string, bool)
	// Delegates suggests a better suited agent in a domain; false means that there is
	// none. Nothing is handed over.
	Delegates func(domain string) (suggestion string, ok bool)
	// Share puts an entry on the blackboard; nil where there is none, as in evaluations,
	// which must not know of each other.
	Share func(key, value string, ttl time.Duration, readers []string) error
	// Author takes the draft of a tool, checks it and leaves a proposal. It never makes
	// a tool that can be called.
	Author func(ctx context.Context, draft json.RawMessage) Result

	added int // facts of this turn
}

// Step is one call that was made in the turn.
type Step struct {
	Tool      string
	Arguments json.RawMessage
	Outcome   agent.Outcome
	Output    string
}

// Budget is what a turn has spent and may spend. A zero bound is none.
type Budget struct {
	Tokens, MaxTokens   int64
	CostUSD, MaxCostUSD float64
}

// Context is how full the model's context is.
type Context struct {
	// Tokens used of the Window; zero when the window is unknown.
	Tokens, Window int
	Messages       int
	// DistillTokens and DistillMessages are the thresholds at which history is
	// distilled; zero is never.
	DistillTokens, DistillMessages int
}
