package model

import (
	"context"
	"encoding/json"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/policy"
	"evolve/runtime/tool"
)

// Model chooses the next step of a turn. It must be safe for concurrent use and keep
// nothing between calls: the request contains everything it needs. A Go error is
// infrastructure's (a provider that is down), never the config's.
type Model interface {
	Next(ctx context.Context, req *Request) (Reply, error)
}

// Request is the input of a model for one step. The heuristic reads the fields; a
// language model's adapter renders them into the messages of its provider.
type Request struct {
	// System holds the workspace's bootstrap files in order of priority.
	System   []Section
	Strategy string
	// Demonstrations are solved examples, for a language model.
	Demonstrations []agent.Demonstration
	// Form is the form of the answer that is requested of a language model.
	Form   AnswerForm
	Domain string
	// Turns are the earlier messages of the conversation, oldest first.
	Turns []agent.Message
	Goal  string
	// Memories were recalled for the goal, the most useful first.
	Memories []memory.Hit
	// Findings are the results of earlier subgoals; with Synthesis set the goal is to
	// be answered from them alone.
	Findings  []Finding
	Synthesis bool
	// Tools are the active ones; Inactive are those that enable_tool could activate, for
	// a language model the best for the goal, and Unlisted is the number of the others.
	Tools    []tool.Spec
	Inactive []tool.Spec
	Unlisted int
	Files    []string
	// Steps are the calls made in this turn, oldest first; those of one reply share
	// their round. Said is the model's text beside the calls of each round.
	Steps []Step
	Said  []string
	// Summary replaces earlier messages that distillation has removed; Notes and
	// Working come from the session; Shared are the visible entries of the blackboard.
	Summary string
	Notes   []string
	Working string
	Shared  []Shared
	// Advice is the runtime's text for this step, such as a suggestion to delegate or
	// the question of the self-evaluation. It never contains foreign text.
	Advice []string
	// Rejected are replies that were sent back because the answer lacks the form that
	// Form or the question requires; Drafts are those that the model was asked to
	// reconsider, with the question in Advice.
	Rejected, Drafts []string
	// Remaining is the number of model calls left, including this one. At 1 the model
	// has to answer.
	Remaining int
	// Choice holds the weights for the selection of tools.
	Choice Choice
	// Usefulness returns the usefulness of a call's tool in the domain, in [0,1]; .5 means
	// no history.
	Usefulness func(c Call) float64
	// Weigh returns the score of a tool after learned experience and people's feedback, with
	// the reason for a change; unlearned is the score that a tool without history would
	// have. Nil leaves every score as it is.
	Weigh func(tool string, score, unlearned, useful float64) (weighed float64, why string)
	// Prior returns the usefulness of a tool without history; nil means .5.
	Prior func(tool string) float64
	// Instead maps a tool that people no longer want to its replacement.
	Instead map[string]string
	// Known is what is known of the tools from earlier turns, for a language model.
	Known string
	// Sampling is for language models.
	Sampling Sampling
	// Schema is the JSON schema of the answer, or nil. A provider that takes no schema is
	// asked without it; see [Reply].Unbound.
	Schema json.RawMessage
}

// Section is one named part of the system prompt.
type Section struct {
	Name string
	Text string
}

// Finding is the result of a subgoal.
type Finding struct {
	Goal   string
	Answer string
	// Value is the shortest form of the answer: it replaces "it" in a later step.
	Value      string
	Confidence float64
	// Unsure reports whether nothing was found.
	Unsure bool
	// Subject is the subject of the subgoal in a comparison.
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

// Call is a request to call a tool.
type Call struct {
	// ID is the provider's id of the call; empty for the heuristic.
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

// Sampling holds parameters that only language models use.
type Sampling struct {
	// Route is one of the configured hints; empty is the default route.
	Route string
	// Temperature is nil where the config sets none: then the route's own applies.
	Temperature *float64
	Seed        int64
	// MaxTokens bounds the reply in addition to the route's own bound; 0 means that only
	// the route's applies.
	MaxTokens int
}

// Reply is either calls to make or an end: an answer or a referral.
type Reply struct {
	Calls  []Call
	Answer string
	// Value is the shortest form of the answer, for later subgoals.
	Value string
	// Confidence in the answer is in [0,1].
	Confidence float64
	// Stated reports whether a language model stated the confidence.
	Stated bool
	// Referral means that no tool can do the task.
	Referral *tool.Boundary
	// Unsure reports whether the answer only stands in for a missing one.
	Unsure bool
	// Expects names the shape an answer should have (number, date), or is empty.
	Expects Shape
	// Said is a language model's text beside its calls, or the whole text of which Answer
	// is a part.
	Said string
	// Formless reports whether the answer lacks the requested form.
	Formless bool
	// Unbound reports whether the request has a schema and the provider did not apply it.
	Unbound bool
	// Untempered reports whether the request has a temperature and the model takes none.
	Untempered bool
	// Stop is why a language model stopped.
	Stop Stop
	// Notes give reasons, for the transcript.
	Notes []string
	Usage agent.Usage
	// Provider and Model are those that answered. Applied holds the policies of each
	// call to a provider; there are several when a budget led to another one. They are
	// set beside an error, too. The heuristic leaves them empty.
	Provider, Model string
	Applied         []policy.Applied
}

// Shape is the form that a question asks for.
type Shape string

// The shapes that a self-check can verify.
const (
	AnyShape    Shape = ""
	NumberShape Shape = "number"
	DateShape   Shape = "date"
	NameShape   Shape = "name"
)

// Stop is why a language model stopped, with the same values for all providers.
type Stop string

// The reasons to stop. A refusal leaves the refusing text as the answer.
const (
	StopEnd     Stop = "end"
	StopCalls   Stop = "calls"
	StopLength  Stop = "length"
	StopRefusal Stop = "refusal"
)

// Error is a failure of a model that ends the turn with an outcome of its own:
// infrastructure for a provider that is down or a limit that cannot be waited for, and
// budget_exceeded for a prompt that is larger than the model's context. Any other error
// counts as infrastructure.
type Error struct {
	Outcome agent.Outcome
	Err     error
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }
