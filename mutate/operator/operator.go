package operator

import (
	"math/rand/v2"

	"evolve/runtime/agent"
)

// Failure is a cluster of a variant's failed search evaluations.
type Failure struct {
	Outcome agent.Outcome
	Domain  string
	// Words are the most frequent stems in the cluster's goals and graders' reasons, most
	// frequent first. They are untrusted text.
	Words []string
	Count int
}

// ToolHealth counts a tool's calls and failures in the evaluations of this search.
type ToolHealth struct {
	Tool            string
	Calls, Failures int
}

// FailureContext is the input of an operator: the configs to change, and the failures and
// tool calls to which a change should respond.
type FailureContext struct {
	Space    agent.Space
	Champion agent.Config
	// Parent is the selected config. Other is a second config, or nil if there is none.
	// Ancestor is their nearest common ancestor, or nil if it is unknown.
	Parent, Other, Ancestor agent.Config
	// Lineage is Parent's chain of first parents, nearest first.
	Lineage []agent.Config
	// Failures are the parent's failures, most frequent first.
	Failures []Failure
	Health   []ToolHealth
	// Scale is the operator's own scale, in (0,1], which sets the size of a change. The
	// bandit adapts it.
	Scale float64
}

// Child is a changed config with a description of its change.
type Child struct {
	Config    agent.Config
	Operator  string
	Rationale string
	// Both reports whether Other is also a parent of the child, in addition to Parent.
	Both bool
}

// Operator makes one child, or returns false if it has none. It never changes its input,
// and its child is canonical and valid in the context's space.
type Operator interface {
	Name() string
	Make(s FailureContext, rng *rand.Rand) (Child, bool)
}
