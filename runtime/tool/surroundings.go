package tool

import (
	"context"
	"encoding/json"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

// Surroundings holds the parts of an agent and its turn that the agent's tools may use.
// Every field may be zero; the tools that need it then report that nothing is available.
// The code that runs the turn keeps the fields up to date between calls.
type Surroundings struct {
	// Domain is the domain of the turn.
	Domain string
	// Config is the turn's config, and Space is its search space.
	Config agent.Config
	Space  agent.Space
	// Request creates the change request for an action that only a person may take, from
	// the kind and target of the action, the reason, and the call's arguments. If Request
	// is nil, no requests are created.
	Request func(kind, target, reason string, args json.RawMessage) *agent.ChangeRequest

	// Facts holds the memories that this session has added, oldest first; memory_add
	// appends to them. Retracted holds the reason for each memory that must not be
	// recalled, keyed by the memory's id; memory_retract adds to it. Both belong to the
	// session: neither the agent's files nor the archive are changed.
	Facts     []agent.Memory
	Retracted map[string]string
	// Audit returns advice on the memories about a topic.
	Audit func(ctx context.Context, topic string) []memory.Advice

	// Goal is the goal of the turn. Steps holds the calls made so far, oldest first.
	Goal  string
	Steps []Step
	// Remaining is the number of model calls left.
	Remaining int
	Budget    Budget
	Context   Context

	// Calibration, Knowledge and Corrections return, as text or JSON, the agent's history
	// in a domain: the calibration of its confidence, its strengths, and people's
	// corrections, respectively. They return false if there is no history.
	Calibration func(ctx context.Context, domain string) (string, bool)
	Knowledge   func(ctx context.Context, domain string) (string, bool)
	Corrections func(ctx context.Context, domain string) (string, bool)
	// Delegates suggests an agent that is better suited to a domain, or returns false if
	// there is none. It does not hand over the task.
	Delegates func(ctx context.Context, domain string) (suggestion string, ok bool)
	// Share puts an entry on the blackboard. It is nil if there is no blackboard, as in
	// evaluations, which must be independent of each other.
	Share func(key, value string, ttl time.Duration, readers []string) error
	// Author checks the draft of a tool. A draft that passes can be called until the turn
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

// Budget is what a turn has spent and what it may spend. A zero limit means no limit.
type Budget struct {
	Tokens, MaxTokens   int64
	CostUSD, MaxCostUSD float64
}

// Context is the usage of the model's context.
type Context struct {
	// Tokens is the number of tokens used, out of Window. Window is zero if it is
	// unknown.
	Tokens, Window int
	Messages       int
	// DistillTokens and DistillMessages are the thresholds at which history is
	// distilled; zero means never.
	DistillTokens, DistillMessages int
}
