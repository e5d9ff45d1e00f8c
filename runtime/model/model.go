package model

import (
	"context"
	"encoding/json"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/policy"
	"evolve/runtime/tool"
)

// Model chooses the next step of a turn. It must be safe for concurrent use and retain
// nothing between calls: the request contains everything that it needs. A Go error is
// caused by the infrastructure (such as a provider that is down), never by the config.
type Model interface {
	Next(ctx context.Context, req *Request) (Reply, error)
}

// Request is the input of a model for one step. The heuristic reads the fields; a
// language model's adapter renders them into the messages of its provider.
type Request struct {
	// System holds the workspace's bootstrap files in order of priority.
	System   []Section
	Strategy string
	// Demonstrations are solved examples for the prompt of a language model.
	Demonstrations []agent.Demonstration
	// Form is the form in which a language model must answer.
	Form   AnswerForm
	Domain string
	// Turns are the earlier messages of the conversation, oldest first.
	Turns []agent.Message
	Goal  string
	// Memories holds the memories recalled for the goal, the most useful first.
	Memories []memory.Hit
	// Findings are the results of earlier subgoals. If Synthesis is set, the goal must be
	// answered only from them.
	Findings  []Finding
	Synthesis bool
	// Tools holds the active tools. Inactive holds the tools that enable_tool could
	// activate; for a language model, only those that fit the goal best. Unlisted is the
	// number of the remaining tools that could be activated.
	Tools    []tool.Spec
	Inactive []tool.Spec
	Unlisted int
	Files    []string
	// Steps are the calls made in this turn, oldest first; calls from one reply have the
	// same Round. Said holds the text that the model wrote in addition to the calls of each
	// round.
	Steps []Step
	Said  []string
	// Summary replaces earlier messages that distillation removed. Notes and Working come
	// from the session. Shared holds the blackboard entries that this turn may see.
	Summary string
	Notes   []string
	Working string
	Shared  []Shared
	// Advice is the runtime's text for this step, such as a suggestion to delegate or the
	// self-evaluation question. It never contains untrusted text.
	Advice []string
	// Rejected holds replies that were returned to the model because they do not have the
	// form that Form or the question requires. Drafts holds replies that the model was
	// asked to reconsider; Advice contains the request to reconsider them.
	Rejected, Drafts []string
	// Remaining is the number of model calls left, including this one. At 1 the model must
	// answer.
	Remaining int
	// Choice holds the weights for selecting tools.
	Choice Choice
	// Usefulness returns the usefulness of a call's tool in the domain, in [0,1]; a nil
	// function means .5 for every call.
	Usefulness func(c Call) float64
	// Weigh returns a tool's score after learned experience and people's feedback are
	// applied, and the reason if it changed the score. unlearned is the score that the tool
	// would have without history, and useful is its usefulness. If Weigh is nil, every
	// score stays as it is.
	Weigh func(tool string, score, unlearned, useful float64) (weighed float64, why string)
	// Prior returns the usefulness of a tool without history; if Prior is nil, it is .5.
	Prior func(tool string) float64
	// Instead maps the name of a tool that people no longer want used to the name of its
	// replacement.
	Instead map[string]string
	// Known is a text for a language model. It states what earlier turns have shown about
	// the tools.
	Known string
	// Sampling holds parameters for language models.
	Sampling Sampling
	// Schema is the JSON schema of the answer, or nil. A provider that does not support
	// schemas gets the request without it; see [Reply].Unbound.
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
	// Value is the shortest form of the answer; it replaces a reference such as "it" in a
	// later step.
	Value      string
	Confidence float64
	// Unsure reports whether no answer was found.
	Unsure bool
	// Subject is what the subgoal is about if the goal is a comparison.
	Subject string
}

// Shared is an entry of the blackboard: untrusted text from another agent.
type Shared struct {
	From, Key, Text string
}

// Step is a call with its result.
type Step struct {
	Call   Call
	Result tool.Result
	// Round is the number of the reply that made the call, counted from 0 for each goal.
	Round int
}

// Call is a request to call a tool.
type Call struct {
	// ID is the provider's id for the call; it is empty for calls by the heuristic.
	ID   string `json:"id,omitempty"`
	Tool string `json:"tool"`
	// Arguments holds the arguments as the model wrote them; they need not be valid JSON.
	Arguments json.RawMessage `json:"arguments"`
}

// Choice holds the parameters for selecting tools.
type Choice struct {
	PatternWeight     float64
	PerformanceWeight float64
	Cutoff            float64
}

// Sampling holds parameters that only language models use.
type Sampling struct {
	// Route is one of the configured route hints; if it is empty, the default route
	// applies.
	Route string
	// Temperature is nil if the config sets none; then the route's own temperature applies.
	Temperature *float64
	Seed        int64
	// MaxTokens is a limit on the reply's tokens, in addition to the route's own limit; 0
	// means that only the route's limit applies.
	MaxTokens int
}

// Reply is either a list of calls to make or a final result: an answer or a referral.
type Reply struct {
	Calls  []Call
	Answer string
	// Value is the shortest form of the answer, for later subgoals.
	Value string
	// Confidence is the model's confidence in the answer, in [0,1].
	Confidence float64
	// Stated reports whether a language model stated the confidence.
	Stated bool
	// Referral is set if no tool can do the task.
	Referral *tool.Boundary
	// Unsure reports whether the answer is only a placeholder, because no answer was found.
	Unsure bool
	// Expects is the shape that the answer should have (number, date), or empty.
	Expects Shape
	// Said is the text that a language model wrote in addition to its calls, or the whole
	// text from which Answer was taken.
	Said string
	// Formless reports whether the answer lacks the requested form.
	Formless bool
	// Unbound reports whether the request has a schema and the provider did not apply it.
	Unbound bool
	// Untempered reports whether the request has a temperature but the model does not
	// accept one.
	Untempered bool
	// Stop is why a language model stopped.
	Stop Stop
	// Notes holds the reasons for the reply, for the transcript.
	Notes []string
	Usage agent.Usage
	// Provider and Model identify the provider and the model that answered. Applied holds
	// the policies applied to each call to a provider; there are several calls if a budget
	// caused a switch to another provider. The three fields are also set if there is an
	// error. The heuristic leaves them empty.
	Provider, Model string
	Applied         []policy.Applied
}

// Shape is the kind of answer that a question requires.
type Shape string

// The shapes that a self-check can verify.
const (
	AnyShape    Shape = ""
	NumberShape Shape = "number"
	DateShape   Shape = "date"
	NameShape   Shape = "name"
)

// Stop is the reason why a language model stopped, with the same values for all providers.
type Stop string

// The reasons to stop. For a refusal, the answer is the text of the refusal.
const (
	StopEnd     Stop = "end"
	StopCalls   Stop = "calls"
	StopLength  Stop = "length"
	StopRefusal Stop = "refusal"
)

// Error is a model's failure. It ends the turn with its Outcome, such as infrastructure
// for a provider that is unavailable or a limit for which waiting would not help, or
// budget_exceeded for a prompt that is larger than the model's context. Any other error
// counts as infrastructure.
type Error struct {
	Outcome agent.Outcome
	Err     error
	// Refusing is the address of a server on this machine that refused the connection
	// because no program listens there, or "" if there is none.
	Refusing string
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }
