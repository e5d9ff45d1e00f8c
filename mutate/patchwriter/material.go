package patchwriter

import (
	"evolve/bench"
	"evolve/runtime/agent"
)

// Material is the input for a model, with the data for checking the model's answer. Only
// Target, Files and Cases are required. The texts are foreign.
type Material struct {
	// Target describes to the model what to change.
	Target string
	// Files are the files that a patch may change, by path; see [Material.chosen].
	Files map[string][]byte
	// Cases are failed evaluations of search tasks, at most five of which are shown.
	Cases []Case
	// Refused is the reason why the previous answer was refused; it is empty for the first
	// request.
	Refused string
	// Attempts lists earlier patches for the target that were refused, latest first. At
	// most three of them are shown.
	Attempts []Attempt
	// Answers finds passages of tasks' answers, including the holdout's; if nil, none are
	// found. Its contents are never shown to the model.
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
	// Refused lists the gates that refused the patch with their evidence, such as the
	// output of tests, and the reasons given by a reviewer or a person.
	Refused []string
}

// Limits on the material, in bytes unless stated otherwise.
const (
	maxCases  = 5
	maxGoal   = 2000
	maxEvent  = 400
	maxEvents = 12 // number of events from the end of a transcript
	maxListed = 12 // reasons of one case
	maxRefuse = 2000
	maxTried  = 3
	maxPatch  = 4000 // bytes of the diff of an earlier patch
	maxCauses = 4    // number of reasons for the refusal of an earlier patch
	maxFile   = 32 << 10
	maxFiles  = 96 << 10 // of all files together
	maxPaths  = 200      // number of paths of files that are not shown
)
