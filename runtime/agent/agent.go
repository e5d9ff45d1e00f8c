package agent

import (
	"context"
	"encoding/json"
	"time"
)

// Agent runs one task under one config. Run never returns an error: every failure is
// reported as the outcome of the Result. Run must be safe for concurrent use, respect ctx,
// and leave nothing running when it returns.
type Agent interface {
	Run(ctx context.Context, req Request) Result
}

// Request is the input of an agent for one evaluation.
type Request struct {
	// ID identifies the evaluation; a program must return it unchanged.
	ID   string
	Task Task
	// Config holds only the active parameters; see [Space.Canonical].
	Config Config
	// Seed is in [0, 2^53). For the same task and repeat, every variant gets the same seed
	// (common random numbers).
	Seed   int64
	Limits Limits
	// Workdir is a directory that is used only by this evaluation, contains only fixtures
	// and is removed afterwards. It is empty if the task has no files and the agent needs
	// no directory.
	Workdir string
	// Live reports whether this request is a person's turn and not an evaluation. In a live
	// turn, the agent may leave change requests for a person.
	Live bool
	// Session is the state left by an earlier turn of the same conversation.
	Session Session
	// Continues reports whether this request is one turn of a conversation within an
	// evaluation. If so, the result must contain a session.
	Continues bool
	// Conversation is the name of the conversation; it is empty if there is none.
	Conversation string
	// Feedback holds the wishes that people have expressed about tools, as they apply to a
	// live turn. It is meant for a program that chooses its own tools; the built-in agent
	// applies the wishes itself. If several entries apply to a tool, only the first counts.
	Feedback []Feedback
	// Observe is called with each event of the transcript as it happens, after the event
	// has been scrubbed. It may be nil. It is never called from two goroutines at the same
	// time.
	Observe func(Event)
}

// Feedback is a wish that people have expressed about a tool, as it applies to one turn.
type Feedback struct {
	ID string `json:"id"`
	// Action is penalise, boost, constraint (which forbids the tool) or replace.
	Action string `json:"action"`
	// Tool is the tool to which the wish applies; it is empty if the wish applies to every
	// tool.
	Tool string `json:"tool,omitempty"`
	// With is the tool to use instead, if the action is replace.
	With string `json:"with,omitempty"`
	// Factor is the factor by which the action multiplies the score of the tool; 0 forbids
	// the tool.
	Factor float64 `json:"factor"`
}

// Task is the part of a benchmark task that an agent may see. It never contains the task's
// answer, graders or split.
type Task struct {
	ID       string
	Domain   string
	Goal     string
	Messages []Message
	// Input is the task's JSON input, which is passed to the agent unchanged.
	Input json.RawMessage
	// Files are slash-separated paths inside Request.Workdir.
	Files []string
	// Memories are used for this task only, in addition to the agent's own memory snapshot.
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
	// Answer is the right response according to the memory, if the memory records one.
	Answer string `json:"answer,omitempty"`
	// About is the request that the memory's text answers. The text is recalled for
	// requests that contain most of the words in About. It is empty if the text applies to
	// any request.
	About  string `json:"about,omitempty"`
	Source string `json:"source,omitempty"`
	// Time is the time at which the memory was learnt; if it is zero, there is no recency
	// decay.
	Time time.Time `json:"time,omitzero"`
	// Confidence is in [0,1]; 0 means that none was stated, and counts as 1.
	Confidence float64 `json:"confidence,omitempty"`
	// Retracted is the reason why the memory was retracted. Retracted memories are stored
	// but never recalled.
	Retracted string `json:"retracted,omitempty"`
	// RetractedAt is the time of the retraction; it is zero if unknown.
	RetractedAt time.Time `json:"retracted_at,omitzero"`
}

// Limits are the bounds on one evaluation. A zero field means that only the runtime's own
// hard limit applies.
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
	// Answer is the text to grade; it is nil if there is none.
	Answer *string
	// Score is the score in [0,1] that the agent gave itself, which only the grader
	// "reported" uses; it is nil if the agent reports none. An implementation of [Agent]
	// must have validated it.
	Score   *float64
	Outcome Outcome
	// Confidence is the confidence in the answer that the agent stated, in [0,1]; it is 0
	// if none was stated.
	Confidence float64
	Usage      Usage
	// Transcript records the run step by step, already scrubbed.
	Transcript Transcript
	// Artifacts is what a program reported about the files that it left behind. It is data:
	// nothing in it may be used as a path to follow.
	Artifacts json.RawMessage
	// Requests holds the change requests that the agent left, scrubbed. Requests from an
	// evaluation remain in its transcript and are not shown to a person for a decision.
	Requests []ChangeRequest
	// Session is the state to pass to the next turn of the conversation.
	Session Session
	// Error is the reason why the outcome is not ok, on one scrubbed line.
	Error string
	// Waited is the total time that the task was delayed, either by limits that it shares
	// with other tasks or because it had to wait for a process that could take its
	// request. It is not part of the agent's own time.
	Waited time.Duration
	// Started reports whether the agent's time includes the start of a process that will
	// also serve later tasks.
	Started bool
	// Refused is the limit that prevented the task, or nil if no limit did. It is set only
	// with the outcome infrastructure.
	Refused *Refusal
	// Refusing is the address of a server on this machine that refused the connection
	// because no program listens there, or "" if there is none. It is set only with the
	// outcome infrastructure.
	Refusing string
}
