package patchwriter

import (
	"evolve/bench"
	"evolve/runtime/agent"
)

// Material is the input of a model, with the data for checking its answer. Only Target,
// Files and Cases are required. The texts are foreign.
type Material struct {
	// Target names the thing to change, for the model.
	Target string
	// Files are those that a patch may change, by path; see [Material.chosen].
	Files map[string][]byte
	// Cases are failed evaluations of search tasks, at most five of which are shown.
	Cases []Case
	// Refused is the reason why the previous answer was refused; empty at first.
	Refused string
	// Attempts are earlier patches of the target that were refused, the latest first, at
	// most three of which are shown.
	Attempts []Attempt
	// Answers finds passages of tasks' answers, including the holdout's; nil finds none.
	// Its contents are never shown to the model.
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

// Attempt is an earlier patch that was refused.
type Attempt struct {
	Rationale, Diff string
	// Refused lists the gates that refused it with their evidence, such as the output of
	// tests, and the reasons of a reviewer or a person.
	Refused []string
}

// Limits of the material, in bytes unless noted.
const (
	maxCases  = 5
	maxGoal   = 2000
	maxEvent  = 400
	maxEvents = 12 // events of a transcript, the last ones
	maxListed = 12 // reasons of one case
	maxRefuse = 2000
	maxTried  = 3
	maxPatch  = 4000 // bytes of the diff of an earlier patch
	maxCauses = 4    // of the refusal of one
	maxFile   = 32 << 10
	maxFiles  = 96 << 10 // of all files together
	maxPaths  = 200      // paths of files that are not shown
)
