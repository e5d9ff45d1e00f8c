package operator

import (
	"math/rand/v2"

	"evolve/runtime/agent"
)

// Failure is a cluster of a variant's failed search evaluations.
type Failure struct {
	Outcome agent.Outcome
	Domain  string
	// Words are the most frequent stems of the goals and graders' reasons in the
	// cluster, the most frequent first. They are foreign text.
	Words []string
	Count int
}

// ToolHealth is a tool's record in the evaluations of this search.
type ToolHealth struct {
	Tool            string
	Calls, Failures int
}

// FailureContext is the input of an operator: the configs to change, with the failures and
// tool calls that a change should respond to.
type FailureContext struct {
	Space    agent.Space
	Champion agent.Config
	// Parent is the selected config; Other a second one, nil for none; Ancestor their
	// nearest common ancestor, nil if unknown.
	Parent, Other, Ancestor agent.Config
	// Lineage is Parent's chain of first parents, the nearest first.
	Lineage []agent.Config
	// Failures of the parent, the most frequent first.
	Failures []Failure
	Health   []ToolHealth
	// Scale is the operator's own setting, in (0,1]: the size of a change. The bandit
	// adapts it.
	Scale float64
}

// Child is a changed config with a description of its change.
type Child struct {
	Config    agent.Config
	Operator  string
	Rationale string
	// Both reports whether Other is a parent too.
	Both bool
}

// Operator makes one child; false when it has none. It never changes its input, and its
// child is canonical and valid in the context's space.
type Operator interface {
	Name() string
	Make(s FailureContext, rng *rand.Rand) (Child, bool)
}
