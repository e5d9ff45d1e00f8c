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
	// Budget is the number of evaluations, including the champion's and the random
	// baseline's.
	Budget int
	Seed   int64
	// MaxRepeats bounds the repeats of one (config, task): 1 for agents that
	// ignore the seed, 0 for no bound.
	MaxRepeats int
	// Selection names the parent selector: "" is the default.
	Selection string
	// BaselineShare is the share of the budget for random search; negative: none; 0: a
	// tenth.
	BaselineShare float64
	// Finalists is the maximum number of recommended finalists; 0: 3. Versions that a search
	// over programs takes for equal count once.
	Finalists int
	// View is the archive without the holdout. May be nil.
	View View
	// History is the results of earlier nights on the same tasks.
	History []Remembered
	// LeftOut are versions of source code that gates refused, and their relatives. They are
	// not in History, and a search over programs does not make them again.
	LeftOut []LeftOut
	// Guards are the bounds on a winner. Finalists that are expected to keep them come
	// first. A search uses bounds on cost and latency; others are left to the
	// confirmation.
	Guards []stats.Bound
	// Operators is the record of the operators in earlier nights; zero: none.
	Operators operator.State
	// Author describes the models that answer trials with a Brief; nil: there are none.
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
