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
}

// Observation is the result of a trial. Unscored ones are missing data.
type Observation struct {
	Trial   Trial
	Scored  bool
	Score   float64
	CostUSD float64
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

// Searcher is asked for trials and told their results, in any order and with many
// in flight. Its answers depend on nothing but its options and the sequence of
// calls, so that the same sequence gives the same search. It is not safe for
// concurrent use; one driver owns it. Observations of trials it never asked for
// are welcome: a resumed run and a warm start tell it what is already known.
type Searcher interface {
	Ask() (Trial, Status)
	Tell(Observation)
	Recommend() Recommendation
}

// Estimate is what the search believes of a config on the search tasks.
type Estimate struct {
	Variant agent.ConfigID
	Config  agent.Config
	// Score is the estimated weighted mean over all search tasks, with its 95 % interval.
	Score, Lo, Hi float64
	Evaluations   int
	Parents       []agent.ConfigID
	Operator      string
	Generation    int
	Rationale     string
}

// Recommendation is the outcome of a search.
type Recommendation struct {
	Champion Estimate
	// Best is the champion itself when nothing is better on the evidence.
	Best Estimate
	// Finalists are the most promising variants other than the champion, the best
	// first, for confirmation.
	Finalists []Estimate
	// Random is the best config of the random baseline; Evaluations 0 when there was none.
	Random Estimate
	// Variants counts the configs tried.
	Variants int
	// Exhausted says that nothing was left to try.
	Exhausted bool
	// Reasons explains the choice, for the report.
	Reasons []string
}
