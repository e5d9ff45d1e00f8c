package agent

import (
	"context"
	"encoding/json"
	"time"
)

// Agent runs one task under one config. Run never returns an error: every failure is
// the Result's outcome. It must be safe for concurrent use, respect ctx, and leave
// nothing running when it returns.
type Agent interface {
	Run(ctx context.Context, req Request) Result
}

// Request is the input of an agent for one evaluation.
type Request struct {
	// ID identifies the evaluation; a program must echo it.
	ID   string
	Task Task
	// Config holds the active parameters only (see [Space.Canonical]).
	Config Config
	// Seed is in [0, 2^53). The same task and repeat give the same seed to
	// every variant (common random numbers).
	Seed   int64
	Limits Limits
	// Workdir is a directory of this evaluation alone that contains only fixtures and
	// is removed afterwards. Empty when the task has no files and the agent needs none.
	Workdir string
	// Live reports whether this is a person's turn rather than an evaluation: change
	// requests may be left for a person.
	Live bool
	// Session is the state left by an earlier turn of the same conversation.
	Session Session
	// Continues reports whether this is a turn of a conversation within one evaluation, so
	// that the result needs a session.
	Continues bool
	// Conversation is the name of the conversation; empty for none.
	Conversation string
	// Feedback holds the wishes of people about tools in a live turn, for a program that
	// chooses its tools itself. Of the entries that fit a tool, the first counts. The built-in
	// agent applies them by itself.
	Feedback []Feedback
	// Observe is called with each event of the transcript as it happens, already
	// scrubbed. It may be nil. It is called from one goroutine at a time.
	Observe func(Event)
}

// Feedback is a wish of people about a tool in one turn.
type Feedback struct {
	ID string `json:"id"`
	// Action is penalise, boost, constraint (never use the tool) or replace.
	Action string `json:"action"`
	// Tool is empty for every tool.
	Tool string `json:"tool,omitempty"`
	// With is the tool to use instead, for replace.
	With string `json:"with,omitempty"`
	// Factor is what the action multiplies the score of a tool by; 0 forbids it.
	Factor float64 `json:"factor"`
}

// Task is the part of a benchmark task that an agent may see. It never contains the
// answer, the graders or the split.
type Task struct {
	ID       string
	Domain   string
	Goal     string
	Messages []Message
	// Input is passed through as given.
	Input json.RawMessage
	// Files are slash-separated paths inside Request.Workdir.
	Files []string
	// Memories extend the agent's own memory snapshot for this task alone.
	Memories []Memory
}

// Message is one turn of a conversation.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Memory is one remembered fact.
type Memory struct {
	ID     string `json:"id"`
	Domain string `json:"domain,omitempty"`
	Text   string `json:"text"`
	// Answer is the right response according to the memory, if it records one.
	Answer string `json:"answer,omitempty"`
	// About is the request that the text answers: it is recalled for requests that have most
	// of these words. Empty for a text that holds for any.
	About  string `json:"about,omitempty"`
	Source string `json:"source,omitempty"`
	// Time is when it was learnt; the zero time has no recency decay.
	Time time.Time `json:"time,omitzero"`
	// Confidence is in [0,1]; 0 means unstated and counts as 1.
	Confidence float64 `json:"confidence,omitempty"`
	// Retracted is why the memory was retracted: such memories are kept and never
	// recalled.
	Retracted string `json:"retracted,omitempty"`
	// RetractedAt is the time of the retraction; zero if unknown.
	RetractedAt time.Time `json:"retracted_at,omitzero"`
}

// Limits bound one evaluation. A zero field means the runtime's own hard limit.
type Limits struct {
	Timeout        time.Duration
	MaxCostUSD     float64
	MaxTokens      int64
	MaxOutputBytes int64
	MaxIterations  int
}

// Usage is what one evaluation consumed.
type Usage struct {
	InputTokens  int64   `json:"input_tokens,omitempty"`
	OutputTokens int64   `json:"output_tokens,omitempty"`
	CachedTokens int64   `json:"cached_tokens,omitempty"`
	CostUSD      float64 `json:"cost_usd,omitempty"`
	Iterations   int     `json:"iterations,omitempty"`
	ToolCalls    int     `json:"tool_calls,omitempty"`
}

// Plus returns the sum of two usages.
func (u Usage) Plus(v Usage) Usage {
	return Usage{
		InputTokens: u.InputTokens + v.InputTokens, OutputTokens: u.OutputTokens + v.OutputTokens, CachedTokens: u.CachedTokens + v.CachedTokens,
		CostUSD: u.CostUSD + v.CostUSD, Iterations: u.Iterations + v.Iterations, ToolCalls: u.ToolCalls + v.ToolCalls,
	}
}

// Result is the result of a run.
type Result struct {
	// Answer is the text to grade; nil when there is none.
	Answer *string
	// Score is the agent's own score in [0,1], used only by the grader "reported"; nil
	// when it reports none. An implementation must have validated it.
	Score   *float64
	Outcome Outcome
	// Confidence in the answer is in [0,1]; 0 where none was stated.
	Confidence float64
	Usage      Usage
	// Transcript records the run step by step, already scrubbed.
	Transcript Transcript
	// Artifacts is what a program reported about files it left; data, not paths to
	// follow.
	Artifacts json.RawMessage
	// Requests are the change requests that the agent left, scrubbed. Those of an
	// evaluation stay in its transcript; no person is asked about them.
	Requests []ChangeRequest
	// Session is the state for the next turn of the conversation.
	Session Session
	// Error is why the outcome is not ok, in one scrubbed line.
	Error string
	// Waited is the time in which the task waited for limits that it shares with
	// others, or for a process to ask; it is not part of the agent's own time.
	Waited time.Duration
	// Started reports whether the agent's time holds the start of a process that serves
	// later tasks as well.
	Started bool
	// Refused is the limit that prevented the task; set only beside the outcome
	// infrastructure, and nil where no limit did.
	Refused *Refusal
	// Refusing is the address of a server on this machine that refused the connection, "" for
	// none: no program serves it. It is set only beside the outcome infrastructure.
	Refusing string
}
