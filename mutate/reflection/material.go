package reflection

import (
	"evolve/bench"
	"evolve/mutate"
	"evolve/mutate/operator"
	"evolve/runtime/agent"
)

// Material is what a model gets about a config, with the data for checking the model's
// answer. Only Space, Config and Component are required. Goals, answers, reasons,
// transcripts, feedback and rationales are untrusted text.
type Material struct {
	Space     agent.Space
	Config    agent.Config
	Component string
	// Form is the kind of change, and Wording is the name of the request's wording; see
	// [Wordings].
	Form    mutate.Form
	Wording string
	// Plain reports whether the request asks for plain text, with one line per proposal,
	// because the model's answers are not valid JSON.
	Plain bool
	// Dataset describes the search tasks.
	Dataset Dataset
	// Cases are evaluations of search tasks; see [Case]. Only the first five tasks and
	// the first two cases of each are used.
	Cases []Case
	// Tried lists earlier changes to the component, latest first.
	Tried []mutate.TriedChange
	// Others are texts of the component from other variants that did well, Source is the
	// source code around the component, and Profile is what a profiler printed about the
	// champion's program. Only a component that is code has them.
	Others          []mutate.TriedChange
	Source, Profile string
	// Problem returns the reason why the text of a component that is code cannot run,
	// worded to follow "it", or "" if it finds no reason. Problem is nil if texts are not
	// checked. Imports lists the imports that the component must continue to use.
	Problem func(component, text string) string
	Imports string
	// Competence holds the config's mean score in each domain, with the number of
	// evaluations.
	Competence []Competence
	Health     []operator.ToolHealth
	// Feedback is the recent feedback on evaluations, and Corrections are patterns in
	// people's corrections. Both are unchanged from their stored form, and both may be
	// empty.
	Feedback    string
	Corrections []string
	// Lineage is the chain of first parents, nearest first, for the novelty check.
	Lineage []agent.Config
	// Room is the number of tokens that the model can read; 0 means unknown. The request is
	// shortened until its estimated length fits.
	Room int
	// Answers finds passages of the answers to tasks, including holdout tasks; if nil,
	// none are found. Its contents are never shown to the model.
	Answers *bench.AnswerIndex
}

// Case is one evaluation of the config, with its details.
type Case struct {
	Task, Domain, Goal string
	Outcome            agent.Outcome
	// Score is in [0,1]; Pass reports whether the case counts as solved.
	Score  float64
	Pass   bool
	Answer string
	// Expected is the task's reference answer; it is empty if the task has none.
	Expected string
	Reasons  []string
	// Transcript may be nil.
	Transcript *agent.Transcript
}

// Competence is the mean score in a domain.
type Competence struct {
	Domain      string  `json:"domain"`
	Score       float64 `json:"mean_score"`
	Evaluations int     `json:"evaluations"`
}

// Limits on the material.
const (
	maxTasks   = 5
	maxPerTask = 2
	maxCases   = 6
	maxEvents  = 12
	maxTried   = 12
	maxLines   = 120
	maxGoal    = 2000 // bytes of a goal or an answer
	maxEvent   = 400  // bytes of an event's text, a grader's reason or a rationale
	maxNote    = 4000 // bytes of the feedback
)

// shown returns the cases that are used: at most two for each of the first tasks.
func (m Material) shown() []Case {
	count := map[string]int{}
	var out []Case
	for _, c := range m.Cases {
		if count[c.Task] == maxPerTask || count[c.Task] == 0 && len(count) == maxTasks {
			continue
		}
		count[c.Task]++
		out = append(out, c)
	}
	return out[:min(len(out), m.wording().cases)]
}
