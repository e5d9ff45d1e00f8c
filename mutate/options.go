package mutate

import (
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Options of a search. Space, Champion, Tasks and Budget are required.
type Options struct {
	Space    agent.Space
	Champion agent.Config
	Tasks    []Task
	// Budget is the number of evaluations to ask for, the champion's and the random baseline's included.
	Budget int
	Seed   int64
	// MaxRepeats bounds the repeats of one (config, task): 1 for agents that
	// ignore the seed, 0 for no bound.
	MaxRepeats int
	// Selection names the parent selector: "" is the default.
	Selection string
	// BaselineShare of the budget goes to pure random search; negative: none; 0: a tenth.
	BaselineShare float64
	// Finalists to recommend at most; 0: 3.
	Finalists int
	// View is the archive without the holdout: earlier variants and mutations tried. May be nil.
	View View
	// History is what earlier nights learnt about the same tasks.
	History []Remembered
	// Guards are the bounds that a winner has to keep. Finalists that are expected to keep them
	// come first. A search knows of cost and latency; other metrics are left to the confirmation.
	Guards []stats.Bound
	// Author reports whether trials with a Brief are answered.
	Author bool
}

// View is the part of archive.SearchView that the search reads.
type View interface {
	// Tried reports whether a config was tried in an earlier run.
	Tried(agent.ConfigID) bool
}
