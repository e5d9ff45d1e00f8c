package model

import (
	"context"
	"encoding/json"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
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
	// Steps are the calls made in this turn, oldest first.
	Steps []Step
	// Rejected are answers that the self-check has sent back.
	Rejected []string
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

// Step is a call with its result.
type Step struct {
	Call   Call
	Result tool.Result
}

// Call asks for a tool.
type Call struct {
	Tool      string          `json:"tool"`
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
	Route       string
	Temperature float64
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
	// Notes say why, for the transcript.
	Notes []string
	Usage agent.Usage
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
