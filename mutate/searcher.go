package mutate

import (
	"evolve/bench"
	"evolve/runtime/agent"
)

// Task is what the search may know of a search task.
type Task struct {
	ID      string
	Domain  string
	Cluster string
	Weight  float64
}

// Trial is one evaluation that a searcher wants.
type Trial struct {
	// N counts the asks of this searcher from 0.
	N          int64
	Variant    agent.ConfigID
	Config     agent.Config
	Parents    []agent.ConfigID
	Operator   string
	Generation int
	Rationale  string
	Task       string
	Repeat     int
	// Stage is StageSearch, or StageBaseline for the random baseline's share.
	Stage bench.Stage
	// Brief, when not nil, asks for a change written by a language model instead of an
	// evaluation; Task and Repeat mean nothing then. It costs no evaluation.
	Brief *Brief
}

// Brief asks a language model for one change of one component of a config.
type Brief struct {
	// Config of Trial.Variant is to be changed in this parameter.
	Component string
	// Cases are evaluations of the variant to learn from, failed ones first.
	Cases []Case
	// Tried lists changes of the component that were tried before, with their gain.
	Tried []TriedChange
}

// Case names an evaluation of a search task.
type Case struct {
	Task   string
	Repeat int
	Score  float64
}

// TriedChange is a change and what became of it.
type TriedChange struct {
	Rationale string
	// Gain is its estimated gain over its parent, in score units.
	Gain float64
}

// Observation is the result of a trial. Unscored ones are missing data.
type Observation struct {
	Trial   Trial
	Scored  bool
	Score   float64
	CostUSD float64
	// Seconds the answer took; 0: unknown.
	Seconds float64
	// What is known of a failure: its kind, the graders' reasons, and how often the tools
	// were called and failed. Foreign text, kept as data.
	Outcome agent.Outcome
	Reason  string
	Calls   []Call
	// Draft answers a trial with a Brief; nil when there is none to offer.
	Draft *Draft
}

// Call is the use of one tool in an evaluation.
type Call struct {
	Tool   string
	Failed bool
}

// Draft is a changed config that a language model wrote, valid in the space.
type Draft struct {
	Config    agent.Config
	Rationale string
}

// Remembered is an evaluation of an earlier night, as far as tonight may learn from it.
type Remembered struct {
	Variant agent.ConfigID
	Config  agent.Config
	Task    string
	Score   float64
	// Trust in (0,1] is what it counts beside an evaluation of tonight: 1 when nothing
	// changed since, less when suite, prices or runtime did.
	Trust float64
}

// Status is what Ask found.
type Status int

// Ready: the trial is to be run. Wait: nothing to ask until something is told.
// Done: the budget is spent or the space is exhausted.
const (
	Ready Status = iota
	Wait
	Done
)

// Asker is asked for trials and told their results: a search, or the minimisation of
// its winner.
type Asker interface {
	Ask() (Trial, Status)
	Tell(Observation)
}

// Searcher is asked for trials and told their results, in any order and with many
// in flight. Its answers depend on nothing but its options and the sequence of
// calls, so that the same sequence gives the same search. It is not safe for
// concurrent use; one driver owns it. Observations of trials it never asked for
// are welcome: a resumed run and a warm start tell it what is already known.
type Searcher interface {
	Asker
	// Resize changes the number of evaluations that the search may ask for in all, at any
	// time; see [Options].Budget.
	Resize(budget int)
	Recommend() Recommendation
	// Hindsight values what was recommended at earlier moments, in their order, by all
	// that is known now, and compares the search with its random baseline.
	Hindsight([]Moment) Hindsight
}

// Estimate is what the search believes of a config on the search tasks.
type Estimate struct {
	Variant agent.ConfigID
	Config  agent.Config
	// Score is the estimated weighted mean over all search tasks, with its 95 % interval.
	Score, Lo, Hi float64
	// Gain over the champion with its posterior standard deviation; both 0 for the
	// champion itself.
	Gain, SD float64
	// CostUSD and Seconds are what an evaluation is expected to cost and take on average,
	// anchored at the champion's; 0: unknown.
	CostUSD, Seconds float64
	// Breaks names the guards that it is expected to break.
	Breaks []string
	// Measured is the mean difference of its scores to the champion's on the Common tasks that
	// both ran, in score units: what was seen, and what it was selected for.
	Measured    float64
	Common      int
	Evaluations int
	Parents     []agent.ConfigID
	Operator    string
	Generation  int
	Rationale   string
}

// Recommendation is the outcome of a search.
type Recommendation struct {
	Champion Estimate
	// Best is the champion itself when nothing is better on the evidence.
	Best Estimate
	// Finalists are the most promising variants other than the champion, the best
	// first, for confirmation.
	Finalists []Estimate
	// Front lists the champion and the variants that no other beats in score, cost and time
	// together, the cheapest first.
	Front []Estimate
	// Random is the best config of the random baseline; Evaluations 0 when there was none.
	Random Estimate
	// Told counts the evaluations that the search was told, RandomTold those of the
	// random baseline among them.
	Told, RandomTold int
	// Variants counts the configs tried.
	Variants int
	// Exhausted reports whether nothing was left to try.
	Exhausted bool
	// Reasons explains the choice, for the report.
	Reasons []string
}
