package reflection

import (
	"evolve/bench"
	"evolve/mutate"
	"evolve/mutate/operator"
	"evolve/runtime/agent"
)

// Material is all that a model is shown of a config, and what its answer is held
// against. Only Space, Config and Component are required. Goals, answers, reasons,
// transcripts, feedback and rationales are foreign text.
type Material struct {
	Space     agent.Space
	Config    agent.Config
	Component string
	// Cases are evaluations of search tasks; see [Case]. Of more than three tasks, or
	// two cases of one, the first count.
	Cases []Case
	// Tried lists changes of the component that were tried before, the latest first.
	Tried []mutate.TriedChange
	// Competence is the mean score by domain, and how many evaluations it is of.
	Competence []Competence
	Health     []operator.ToolHealth
	// Feedback is the recent feedback on evaluations, and Corrections are patterns of
	// what people corrected, as they stand on file; both may be empty.
	Feedback    string
	Corrections []string
	// Lineage is the chain of first parents, the nearest first, for the novelty.
	Lineage []agent.Config
	// Answers finds passages of tasks' answers, of the holdout's as well; nil finds none.
	// The model never sees what it holds.
	Answers *bench.AnswerIndex
}

// Case is one evaluation of the config, with what is known of how it went.
type Case struct {
	Task, Domain, Goal string
	Outcome            agent.Outcome
	// Score is in [0,1]; Pass says that it counts as solved.
	Score   float64
	Pass    bool
	Answer  string
	Reasons []string
	// Transcript may be nil.
	Transcript *agent.Transcript
}

// Competence in a domain.
type Competence struct {
	Domain      string  `json:"domain"`
	Score       float64 `json:"mean_score"`
	Evaluations int     `json:"evaluations"`
}

// Bounds on what is shown.
const (
	maxTasks   = 3
	maxPerTask = 2
	maxEvents  = 12
	maxTried   = 12
	maxLines   = 120
	maxGoal    = 2000 // bytes of a goal or an answer
	maxEvent   = 400  // bytes of an event's text, a grader's reason or a rationale
	maxNote    = 4000 // bytes of the feedback
)

// shown are the cases that count: those of the first three tasks, two of each.
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
	return out
}
