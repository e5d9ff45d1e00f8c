package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"evolve/runtime/agent"
	"evolve/runtime/policy"
)

// Effect says what a call may change.
type Effect string

// The effects on what lies outside the agent, from harmless on.
const (
	Read            Effect = "read"
	IdempotentWrite Effect = "idempotent_write"
	Write           Effect = "write"
)

// The effects of local tools whose text goes further than the turn. Each is a write of its
// own kind, which the operator allows by the name of the tool ([Options].Allowed).
const (
	// Remember keeps text for later turns of the same agent.
	Remember Effect = "remember"
	// Share puts text into the prompts of other agents.
	Share Effect = "share"
	// Draft leaves a draft that a person may approve.
	Draft Effect = "draft"
)

// further names what a tool with one of these effects does; "" for any other effect.
func (e Effect) further() string {
	switch e {
	case Remember:
		return "changes what later turns remember"
	case Share:
		return "puts text before other agents"
	case Draft:
		return "leaves a draft for a person"
	}
	return ""
}

// Allowable are the names of the local tools that an operator can allow, in order.
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

// Category says whether a tool is there from the start.
type Category string

// An essential tool is active by default; an available one has to be selected or
// activated by enable_tool.
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
	// Key names the argument that is the idempotency key of an idempotent write;
	// without one such a call is never repeated.
	Key string
	// Domains are those in which the tool is at home; it works in all.
	Domains []string
}

// Tool is something an agent may call. Call must be safe for concurrent use and
// honour ctx. What went wrong for the agent is the result's outcome; a Go error
// ends the run, because going on would make no sense.
type Tool interface {
	Spec() Spec
	Call(ctx context.Context, env *Env, args json.RawMessage) (Result, error)
}

// Result is what the agent sees of a call.
type Result struct {
	Outcome agent.Outcome
	// Output is the text for the model: plain, or JSON where the tool says so.
	Output string
	// Boundary says why the task is not this tool's; there exactly when the
	// outcome is wrong_tool_boundary.
	Boundary *Boundary
	// Request is there when the call was not executed because only a person may do
	// what it asked for; the outcome is then denied.
	Request *agent.ChangeRequest
	// Fault lets policies act on a failure that may pass, such as a server that is
	// down: it is retried where the effect allows, and counts for the breaker.
	Fault *policy.Failure
	// Applied says under which policies the call ran; the registry sets it.
	Applied *policy.Applied
	// Refused is the limit shared with other calls that kept this one from being made,
	// or cut it short; the registry sets it. Nil where none did.
	Refused *agent.Refusal
}

// OK is a result with an output.
func OK(output string) Result { return Result{Outcome: agent.OK, Output: output} }

// Failed is a result with the reason in the output.
func Failed(outcome agent.Outcome, format string, args ...any) Result {
	return Result{Outcome: outcome, Output: fmt.Sprintf(format, args...)}
}

// Boundary is a referral: the call was understood and is not this tool's to do.
type Boundary struct {
	// Axes are the agent's words for what the task needs and the tool has not.
	Axes []string `json:"boundary_axes"`
	// Shape says what kind of task was seen.
	Shape string `json:"observed_task_shape"`
	// Evidence is a short quotation or fact that shows it.
	Evidence string `json:"evidence"`
	// Split says how the tool might be divided; optional.
	Split []string `json:"suggested_split,omitempty"`
}

// Bounds on a referral, in items and bytes.
const (
	maxAxes     = 8
	maxAxis     = 60
	maxShape    = 200
	maxEvidence = 300
)

// Normalize returns the referral with its axes lower-cased, trimmed, without
// repetitions and sorted, and its texts cut to their bounds. A referral without
// axes, shape or evidence is none: an error says what is missing.
func (b Boundary) Normalize() (Boundary, error) {
	var axes []string
	for _, a := range b.Axes {
		if a = clip(strings.Join(strings.Fields(strings.ToLower(a)), " "), maxAxis); a != "" {
			axes = append(axes, a)
		}
	}
	slices.Sort(axes)
	axes = slices.Compact(axes)
	b.Axes = axes[:min(len(axes), maxAxes)]
	b.Shape = clip(strings.TrimSpace(b.Shape), maxShape)
	b.Evidence = clip(strings.TrimSpace(b.Evidence), maxEvidence)
	switch {
	case len(b.Axes) == 0:
		return b, errors.New("referral names no boundary axes")
	case b.Shape == "":
		return b, errors.New("referral does not say what task it saw")
	case b.Evidence == "":
		return b, errors.New("referral has no evidence")
	}
	return b, nil
}

// Refer is a result that refers the task elsewhere. Without evidence it is a
// contract violation: a referral is no way out of work.
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

// clip cuts text to n bytes at the start of a character.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
