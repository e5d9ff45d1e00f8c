package model

import (
	"context"
	"encoding/json"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/policy"
	"evolve/runtime/tool"
)

// Model decides the next step of a turn. It must be safe for concurrent use and
// keep nothing between calls: everything it needs stands in the request. A Go
// error is infrastructure's (a provider that is down), never the config's.
type Model interface {
	Next(ctx context.Context, req *Request) (Reply, error)
}

// Request is what a model sees of a turn. The heuristic reads the parts; a
// language model's adapter renders them into the messages of its provider.
type Request struct {
	// System holds the workspace's bootstrap files in order of priority.
	System   []Section
	Strategy string
	Domain   string
	// Turns are the earlier messages of the conversation, oldest first.
	Turns []agent.Message
	Goal  string
	// Memories were recalled for the goal, the most useful first.
	Memories []memory.Hit
	// Findings are the results of earlier subgoals; with Synthesis set the goal is
	// to be answered from them alone.
	Findings  []Finding
	Synthesis bool
	// Tools are the active ones; Inactive could be activated by enable_tool.
	Tools    []tool.Spec
	Inactive []string
	Files    []string
	// Steps are the calls made in this turn, oldest first; those of one reply share
	// their round. Said is what the model wrote beside the calls of each round.
	Steps []Step
	Said  []string
	// Summary stands for earlier messages that distillation has removed; Notes and
	// Working come from the session; Shared are the visible entries of the blackboard.
	Summary string
	Notes   []string
	Working string
	Shared  []Shared
	// Advice is the runtime's own word for this step, such as a suggestion to delegate
	// or the question of the self-evaluation. It never holds foreign text.
	Advice []string
	// Rejected are answers that the self-check has sent back, Drafts those that the
	// model was asked to think over once more, with the question in Advice.
	Rejected, Drafts []string
	// Remaining is the number of model calls left, this one included. At 1 the
	// model has to answer.
	Remaining int
	// Choice weighs the selection of tools.
	Choice Choice
	// Usefulness of a tool in the domain, in [0,1]; .5 stands for no history.
	Usefulness func(tool string) float64
	// Sampling is for language models.
	Sampling Sampling
}

// Section is one named part of the system prompt.
type Section struct {
	Name string
	Text string
}

// Finding is what a subgoal came to.
type Finding struct {
	Goal   string
	Answer string
	// Value is the answer at its shortest: what "it" stands for in a later step.
	Value      string
	Confidence float64
	// Unsure says that nothing was found.
	Unsure bool
	// Subject is what the subgoal was about in a comparison.
	Subject string
}

// Shared is an entry of the blackboard: foreign text of another agent.
type Shared struct {
	From, Key, Text string
}

// Step is a call with its result.
type Step struct {
	Call   Call
	Result tool.Result
	// Round counts the replies of the present goal from 0.
	Round int
}

// Call asks for a tool.
type Call struct {
	// ID is the provider's name of the call; empty for the heuristic.
	ID   string `json:"id,omitempty"`
	Tool string `json:"tool"`
	// Arguments are as the model wrote them, which need not be JSON.
	Arguments json.RawMessage `json:"arguments"`
}

// Choice holds the parameters of the selection of tools.
type Choice struct {
	PatternWeight     float64
	PerformanceWeight float64
	Cutoff            float64
}

// Sampling holds what only a language model feels.
type Sampling struct {
	// Route is one of the configured hints; empty is the default route.
	Route string
	// Temperature is nil where the config says nothing: then the route's own holds.
	Temperature *float64
	Seed        int64
}

// Reply is either calls to make or an end: an answer or a referral.
type Reply struct {
	Calls  []Call
	Answer string
	// Value is the answer at its shortest, for later subgoals.
	Value string
	// Confidence in the answer, in [0,1].
	Confidence float64
	// Referral says that no tool can do the task.
	Referral *tool.Boundary
	// Unsure says that the answer only stands for there being none.
	Unsure bool
	// Expects names the shape an answer should have (number, date), or is empty.
	Expects Shape
	// Said is what a language model wrote beside its calls.
	Said string
	// Stop says why a language model stopped.
	Stop Stop
	// Notes say why, for the transcript.
	Notes []string
	Usage agent.Usage
	// Provider and Model say who answered, and Applied under which policies the
	// provider was called, one for each provider when a budget led to another. They
	// stand there beside an error, too. The heuristic leaves them empty.
	Provider, Model string
	Applied         []policy.Applied
}

// Shape is the form a question asks for.
type Shape string

// The shapes that a self-check can hold an answer against.
const (
	AnyShape    Shape = ""
	NumberShape Shape = "number"
	DateShape   Shape = "date"
	NameShape   Shape = "name"
)

// Stop is why a language model stopped, the same words for all providers.
type Stop string

// The reasons to stop. A refusal leaves the refusing text as the answer.
const (
	StopEnd     Stop = "end"
	StopCalls   Stop = "calls"
	StopLength  Stop = "length"
	StopRefusal Stop = "refusal"
)

// Error is a failure of a model that ends the turn with an outcome of its own:
// infrastructure for a provider that is down or limits beyond patience, and
// budget_exceeded for a prompt that is larger than the model's context. Any other
// error counts as infrastructure.
type Error struct {
	Outcome agent.Outcome
	// RetryAfter is the provider's hint; zero when it gave none.
	RetryAfter time.Duration
	Err        error
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }
