package mutate

import (
	"evolve/bench/stats"
	"evolve/mutate/operator"
	"evolve/runtime/agent"
)

// Options configures a search. Space, Champion, Tasks and Budget are required.
type Options struct {
	Space    agent.Space
	Champion agent.Config
	Tasks    []Task
	// Budget is the number of evaluations, including those for the champion and the random
	// baseline.
	Budget int
	Seed   int64
	// MaxRepeats is the maximum number of repeats of one pair of config and task: 1 for
	// agents that ignore the seed, 0 for no maximum.
	MaxRepeats int
	// Selection names the parent selector; "" means the default.
	Selection string
	// BaselineShare is the share of the budget for random search. A negative value means
	// none, and 0 means a tenth.
	BaselineShare float64
	// Finalists is the maximum number of recommended finalists; 0 means 3. Versions that a
	// search over programs treats as equal count once.
	Finalists int
	// View is the archive without the holdout. It may be nil.
	View View
	// History holds the results of earlier nights on tonight's search tasks.
	History []Remembered
	// LeftOut holds the versions of source code that gates refused, and relatives of these
	// versions. They are not in History, and a search over programs does not make them
	// again.
	LeftOut []LeftOut
	// Guards are the bounds that a winner must satisfy. Finalists that are expected to
	// satisfy them come first. A search uses bounds on cost and latency; other bounds are
	// left to the confirmation.
	Guards []stats.Bound
	// Operators is the record of the operators from earlier nights; the zero value means
	// that there is none.
	Operators operator.State
	// Author describes the models that answer trials that have a Brief; nil means that
	// there are none.
	Author *Author
}

// LeftOut is a variant that a search leaves out, with the reason.
type LeftOut struct {
	Config agent.Config
	Reason string
}

// View is the part of archive.SearchView that the search reads.
type View interface {
	// Tried reports whether a config was tried in an earlier run.
	Tried(agent.ConfigID) bool
}
