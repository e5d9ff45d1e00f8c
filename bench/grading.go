package bench

import (
	"context"
	"time"

	"evolve/runtime/agent"
)

// Grading is the graders' result for one evaluation.
type Grading struct {
	Score  float64
	Pass   bool
	Grades []Grade
	// Judge is the usage of judge models; Iterations is the number of their calls.
	Judge agent.Usage
}

// GradeInput is the input of the graders.
type GradeInput struct {
	Task *Task
	// Exchanges are those turns of a scripted conversation that took place. The answer of
	// the last turn is the answer in Result; the usage and transcript in Result are those
	// of all turns.
	Exchanges []Exchange
	Result    agent.Result
	Workdir   string
	Latency   time.Duration
}

// GradeFunc grades a result. An error means that the graders failed. The evaluation is then
// missing data and does not score 0; the grading returned with the error still holds the
// usage of judges.
type GradeFunc func(ctx context.Context, in GradeInput) (Grading, error)
