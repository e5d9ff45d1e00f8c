package metrics

import (
	"time"

	"evolve/archive"
	"evolve/runtime/policy"
)

// Night is the content of the text file after a run.
type Night struct {
	// Workspace is the workspace's folder, which distinguishes the files of several
	// workspaces on one machine.
	Workspace, Version, Go string
	// Ended is when the command `evolve run` ended, and Exit is its exit code.
	Ended time.Time
	Exit  int
	// Run is the latest run; it is nil before the first. Succeeded is when the latest run
	// with exit code 0 ended; it is zero if there is none.
	Run       *archive.Run
	Succeeded time.Time
	// PaidUSD is the sum that all processes of the run paid, and Limits describes the use
	// of the run's limits.
	PaidUSD float64
	Limits  []Limit
	Agents  []Agent
	Waiting []Waiting
	// Live describes the effect of limits on the live turns of recent days.
	Live []policy.Saturation
	// Hub holds the counts of tasks on the workers of a hub; it is nil if there is no hub.
	Hub *Hub
}

// Limit is the use of one limit of a run: Spent of Of, in evaluations, USD or seconds.
type Limit struct {
	Name      string
	Spent, Of float64
}

// Agent holds the figures of the latest run that worked on an agent.
type Agent struct {
	ID     string
	Run    int
	Ended  time.Time
	Result archive.AgentResult
	// Limit is the limit on the work on the agent; it is zero if it is not recorded.
	Limit archive.AgentLimit
	// Evaluations holds the numbers of evaluations by result; see [Results].
	Evaluations map[string]int
	Latency     Distribution
	// USD is the cost of the agent and of its judges, and Input, Output and CachedRead are
	// the numbers of their tokens. Evaluations that were found in the archive are not
	// counted.
	USD                       float64
	Input, Output, CachedRead int64
}

// The results of evaluations. Reused means that the evaluation was found in the archive and
// not made again. Failed means that the evaluation scores 0 because the agent ended without
// an answer. Missing means that there is no score.
const (
	Scored  = "scored"
	Failed  = "failed"
	Missing = "missing"
	Reused  = "reused"
)

// Results lists them.
func Results() []string { return []string{Scored, Failed, Missing, Reused} }

// Waiting holds the number of proposals of one kind, for one agent or target, that await a
// person's decision.
type Waiting struct {
	Kind, Agent string
	Count       int
	// Oldest is when the oldest of these proposals began to wait.
	Oldest time.Time
}

// Hub holds, for each result, the number of a run's tasks on the workers of a hub. It
// also holds the maximum number of workers that served the run at the same time.
type Hub struct {
	Tasks       map[string]int
	RepeatedUSD float64
	Workers     int
}
