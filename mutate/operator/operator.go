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

// Scene is all that an operator sees when it is asked for a child.
type Scene struct {
	Space    agent.Space
	Champion agent.Config
	// Parent is the config that the selection chose; Other a second one, nil for
	// none; Ancestor their nearest common ancestor, nil for none known.
	Parent, Other, Ancestor agent.Config
	// Lineage is Parent's chain of first parents, the nearest first.
	Lineage []agent.Config
	// Failures of the parent, the most frequent first.
	Failures []Failure
	Health   []ToolHealth
	// Scale is the operator's own setting, in (0,1]: how far a change goes. It evolves.
	Scale float64
}

// Child is a changed config with the story of its change.
type Child struct {
	Config    agent.Config
	Operator  string
	Rationale string
	// Both says that Other is a parent too.
	Both bool
}

// Operator makes one child; false when it has none to offer. It never changes what
// it was given, and its child is canonical and valid in the scene's space.
type Operator interface {
	Name() string
	Make(s Scene, rng *rand.Rand) (Child, bool)
}
