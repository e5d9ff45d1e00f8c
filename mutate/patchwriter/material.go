package patchwriter

import (
	"evolve/bench"
	"evolve/runtime/agent"
)

// Material is all that a model is shown, and what its answer is held against. Only
// Target, Files and Cases are required. The texts are foreign.
type Material struct {
	// Target names what is to be changed, for the model's eyes.
	Target string
	// Files are those that a patch may change, by path; see [Material.chosen].
	Files map[string][]byte
	// Cases are failed evaluations of search tasks, at most five of which are shown.
	Cases []Case
	// Refused says why the answer before this one was refused; empty at first.
	Refused string
	// Answers finds passages of tasks' answers, of the holdout's as well; nil finds none.
	// The model never sees what it holds.
	Answers *bench.AnswerIndex
}

// Case is one failed evaluation.
type Case struct {
	Task, Domain, Goal, Answer string
	Outcome                    agent.Outcome
	// Score is in [0,1].
	Score   float64
	Reasons []string
	// Transcript may be nil.
	Transcript *agent.Transcript
}

// Bounds on what is shown, in bytes where nothing else is said.
const (
	maxCases  = 5
	maxGoal   = 2000
	maxEvent  = 400
	maxEvents = 12 // events of a transcript, the last ones
	maxListed = 12 // reasons of one case
	maxRefuse = 2000
	maxFile   = 32 << 10
	maxFiles  = 96 << 10 // of all files together
	maxPaths  = 200      // paths of files that are not shown
)
