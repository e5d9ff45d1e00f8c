package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/policy"
	"evolve/runtime/text"
)

// Effect is what a call may change.
type Effect string

// The effects on the world outside the agent, the harmless one first.
const (
	Read            Effect = "read"
	IdempotentWrite Effect = "idempotent_write"
	Write           Effect = "write"
)

// The effects of local tools whose text outlasts the turn. Each is a separate kind of
// write, which the operator allows by naming the tool ([Options].Allowed).
const (
	// Remember stores text for later turns of the same agent.
	Remember Effect = "remember"
	// Share puts text into the prompts of other agents.
	Share Effect = "share"
	// Draft leaves a draft that a person may approve.
	Draft Effect = "draft"
)

// further describes what a tool with the effect remember, share or draft does, or returns
// "" for any other effect.
func (e Effect) further() string {
	switch e {
	case Remember:
		return "changes what later turns remember"
	case Share:
		return "shows text to other agents"
	case Draft:
		return "leaves a draft for a person"
	}
	return ""
}

// Allowable returns the sorted names of the local tools that an operator can allow.
func Allowable() []string {
	var names []string
	for _, t := range Further() {
		if s := t.Spec(); s.Effect.further() != "" {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Category determines whether a tool is active from the start.
type Category string

// An essential tool is active by default; an available one must be selected or activated by
// enable_tool.
const (
	Essential Category = "essential"
	Available Category = "available"
)

// Spec declares a tool.
type Spec struct {
	Name        string
	Description string
	// Schema is the JSON schema of the arguments.
	Schema json.RawMessage
	Effect Effect
	// Origin is "local", "authored" or "mcp:<server>".
	Origin   string
	Category Category
	// Domains lists the domains that the tool is made for; it can be called in any domain.
	Domains []string
}

// Tool is a function that an agent may call. Call must be safe for concurrent use and
// respect ctx. A failure that the agent can handle is the result's outcome; a Go error ends
// the run, because the run could not continue in a meaningful way.
type Tool interface {
	Spec() Spec
	Call(ctx context.Context, env *Env, args json.RawMessage) (Result, error)
}

// Withholder is a tool that at times must not be called, such as one in quarantine. It is
// then not offered, and a call to it is denied. Withheld returns the reason, or "" if the
// tool may be called.
type Withholder interface {
	Tool
	Withheld() string
}

// Result is the result of a call as the agent gets it.
type Result struct {
	Outcome agent.Outcome
	// Output is the text for the model: plain text, or JSON if the tool documents that.
	Output string
	// Boundary is the referral, which states why the task is not suited to this tool. It is
	// set if and only if the outcome is wrong_tool_boundary.
	Boundary *Boundary
	// Request is the change request that was made instead of executing the call, because
	// only a person may make the call; the outcome is then denied.
	Request *agent.ChangeRequest
	// Fault lets the policies act on a transient failure, such as a server that is down:
	// the call is retried if its effect allows that, and the failure counts against the
	// breaker.
	Fault *policy.Failure
	// Applied records the policies that were applied to the call; the registry sets it.
	Applied *policy.Applied
	// Refused is the limit that prevented this call or cut it short, if this call shares
	// that limit with other calls; nil if there was no such limit. The registry sets it.
	Refused *agent.Refusal
}

// OK returns a result with an output.
func OK(output string) Result { return Result{Outcome: agent.OK, Output: output} }

// Failed returns a result with an outcome and the reason as its output.
func Failed(outcome agent.Outcome, format string, args ...any) Result {
	return Result{Outcome: outcome, Output: fmt.Sprintf(format, args...)}
}

// Boundary is a referral: the call is understandable, but the tool is not made for the
// task.
type Boundary struct {
	// Axes names what the task needs but the tool lacks.
	Axes []string `json:"boundary_axes"`
	// Shape describes the kind of task.
	Shape string `json:"observed_task_shape"`
	// Evidence is a short quotation or fact that supports the referral.
	Evidence string `json:"evidence"`
	// Split, if set, suggests how the tool might be divided.
	Split []string `json:"suggested_split,omitempty"`
}

// Limits on a referral, in items and bytes.
const (
	maxAxes     = 8
	maxAxis     = 60
	maxShape    = 200
	maxEvidence = 300
)

// Axes returns the words that name boundary axes in a uniform form: at most eight words, in
// lower case, with single spaces, cut to the maximum length, sorted, and without repeated
// or empty ones.
func Axes(words []string) []string {
	var axes []string
	for _, a := range words {
		if a = text.Clip(strings.Join(strings.Fields(strings.ToLower(a)), " "), maxAxis); a != "" {
			axes = append(axes, a)
		}
	}
	slices.Sort(axes)
	axes = slices.Compact(axes)
	return axes[:min(len(axes), maxAxes)]
}

// Normalize returns the referral with its axes in the form that [Axes] returns and its
// texts cut to their maximum lengths. It returns an error for a referral without axes,
// shape or evidence.
func (b Boundary) Normalize() (Boundary, error) {
	b.Axes = Axes(b.Axes)
	b.Shape = text.Clip(strings.TrimSpace(b.Shape), maxShape)
	b.Evidence = text.Clip(strings.TrimSpace(b.Evidence), maxEvidence)
	var split []string
	for _, part := range b.Split[:min(len(b.Split), maxAxes)] {
		if part = text.Clip(strings.TrimSpace(part), maxShape); part != "" {
			split = append(split, part)
		}
	}
	b.Split = split
	switch {
	case len(b.Axes) == 0:
		return b, errors.New("referral names no boundary axes")
	case b.Shape == "":
		return b, errors.New("referral names no task shape")
	case b.Evidence == "":
		return b, errors.New("referral has no evidence")
	}
	return b, nil
}

// Refer returns a result that refers the task elsewhere. A referral without axes, shape or
// evidence results in a contract violation, because a referral must not be an excuse.
func Refer(b Boundary) Result {
	b, err := b.Normalize()
	if err != nil {
		return Failed(agent.ContractViolation, "%s", err)
	}
	return Result{
		Outcome:  agent.WrongToolBoundary,
		Output:   fmt.Sprintf("not a task for this tool: %s (%s)", b.Shape, b.Evidence),
		Boundary: &b,
	}
}
