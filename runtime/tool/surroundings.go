package tool

import (
	"context"
	"encoding/json"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

// Surroundings are what an agent's tools may use of the agent and its turn. Every field
// may be zero; the tools then report that there is nothing. The code that runs the turn
// keeps them up to date between calls.
type Surroundings struct {
	// Domain is the domain of the turn.
	Domain string
	// Config is the turn's config and Space its search space.
	Config agent.Config
	Space  agent.Space
	// Request makes the change request for an action that only a person may take: its
	// kind and target, the reason, and the call's arguments. Nil makes none.
	Request func(kind, target, reason string, args json.RawMessage) *agent.ChangeRequest

	// Facts are the memories that this session has added, oldest first; memory_add
	// appends to them. Retracted maps the ids of memories not to be recalled to the
	// reasons; memory_retract writes it. Both belong to the session: neither the
	// agent's files nor the archive are touched.
	Facts     []agent.Memory
	Retracted map[string]string
	// Audit returns advice on the memories of a topic.
	Audit func(ctx context.Context, topic string) []memory.Advice

	// Goal is that of the turn; Steps are the calls made so far, oldest first.
	Goal  string
	Steps []Step
	// Remaining is the number of model calls left.
	Remaining int
	Budget    Budget
	Context   Context

	// Calibration, Knowledge and Corrections describe the agent's history in a domain, as
	// text or JSON: the calibration of its confidence, its strengths, and people's
	// corrections. False means that there is no history.
	Calibration func(ctx context.Context, domain string) (string, bool)
	Knowledge   func(ctx context.Context, domain string) (string, bool)
	Corrections func(ctx context.Context, domain string) (string, bool)
	// Delegates suggests a better suited agent in a domain; false means that there is
	// none. It does not hand over the task.
	Delegates func(ctx context.Context, domain string) (suggestion string, ok bool)
	// Share puts an entry on the blackboard. It is nil where there is none, as in
	// evaluations, which must be independent of each other.
	Share func(key, value string, ttl time.Duration, readers []string) error
	// Author checks the draft of a tool. One that passes can be called until the turn
	// ends.
	Author func(ctx context.Context, draft json.RawMessage) Result
	// Delete proposes the deletion of a tool that the agent wrote.
	Delete func(name, reason string) Result

	added int // number of facts added in this turn
}

// Step is one call that was made in the turn.
type Step struct {
	Tool      string
	Arguments json.RawMessage
	Outcome   agent.Outcome
	Output    string
}

// Budget is what a turn has spent and may spend. A zero bound means none.
type Budget struct {
	Tokens, MaxTokens   int64
	CostUSD, MaxCostUSD float64
}

// Context is the usage of the model's context.
type Context struct {
	// Tokens are used of the Window, which is zero when unknown.
	Tokens, Window int
	Messages       int
	// DistillTokens and DistillMessages are the thresholds at which history is
	// distilled; zero means never.
	DistillTokens, DistillMessages int
}
