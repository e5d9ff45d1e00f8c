package metrics

import (
	"time"

	"evolve/archive"
	"evolve/runtime/policy"
)

// Night is the content of the text file after a run.
type Night struct {
	// Workspace is its folder, which distinguishes the files of several on one machine.
	Workspace, Version, Go string
	// Ended is the time at which the command `evolve run` ended, and Exit its exit code.
	Ended time.Time
	Exit  int
	// Run is the latest run; nil before the first. Succeeded is the time at which the latest
	// run with exit code 0 ended; zero for none.
	Run       *archive.Run
	Succeeded time.Time
	// PaidUSD is the sum that all its processes paid, and Limits the use of its limits.
	PaidUSD float64
	Limits  []Limit
	Agents  []Agent
	Waiting []Waiting
	// Live is the effect of limits on the live turns of the last days.
	Live []policy.Saturation
	// Hub counts the tasks on the workers of a hub; nil without one.
	Hub *Hub
}

// Limit is the use of a limit of a run: spent of Of, in evaluations, USD or seconds.
type Limit struct {
	Name      string
	Spent, Of float64
}

// Agent are the figures of the latest run that worked on an agent.
type Agent struct {
	ID     string
	Run    int
	Ended  time.Time
	Result archive.AgentResult
	// Limit is the limit on the work on it, zero if it is not recorded.
	Limit archive.AgentLimit
	// Evaluations counts them by result: see [Results].
	Evaluations map[string]int
	Latency     Distribution
	// USD and the tokens are those of the agent and of its judges, without evaluations that
	// were found in the archive.
	USD                       float64
	Input, Output, CachedRead int64
}

// The results of evaluations. Reused: found in the archive and not made again. Failed: it scores
// 0, because the agent ended without an answer. Missing: no score.
const (
	Scored  = "scored"
	Failed  = "failed"
	Missing = "missing"
	Reused  = "reused"
)

// Results lists them.
func Results() []string { return []string{Scored, Failed, Missing, Reused} }

// Waiting counts the proposals of one agent or target and of one kind that await a
// person's decision.
type Waiting struct {
	Kind, Agent string
	Count       int
	// Oldest is the time since which the oldest waits.
	Oldest time.Time
}

// Hub counts the tasks of a run on the workers of a hub, by result, and holds the maximum
// number of workers that served it at once.
type Hub struct {
	Tasks       map[string]int
	RepeatedUSD float64
	Workers     int
}
