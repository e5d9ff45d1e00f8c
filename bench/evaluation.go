package bench

import (
	"time"

	"evolve/runtime/agent"
)

// Stage is the part of a run that an evaluation belongs to.
type Stage string

// The stages. Screens and the random baseline belong to the search; AA compares the
// champion with itself; Confirm is the only stage that uses the holdout.
const (
	StageSearch   Stage = "search"
	StageBaseline Stage = "baseline"
	StageAA       Stage = "aa"
	StageConfirm  Stage = "confirm"
	// StageAblate removes changes of the search's winner that do not matter, on search
	// tasks.
	StageAblate Stage = "ablate"
	StageBench  Stage = "bench" // by hand: evolve bench run
)

// Key is the content key of an evaluation: a hash over everything that could change its
// answer. Evaluations with equal keys are interchangeable.
type Key string

// Evaluation is one recorded (variant, task, repeat).
type Evaluation struct {
	Run   string
	Agent string
	// Seq is the number of the job within (run, agent), from 0.
	Seq     int64
	Key     Key
	Variant agent.ConfigID
	Task    string
	Domain  string
	Split   Split
	Stage   Stage
	Repeat  int
	Seed    int64

	Outcome agent.Outcome
	// Scored is false for missing data, which has no score and is left out of all
	// statistics.
	Scored bool
	// Score is in [0,1].
	Score  float64
	Pass   bool
	Grades []Grade
	Usage  agent.Usage
	// Latency is the wall time of the successful attempt.
	Latency time.Duration
	// Attempts is 1 plus the retries after infrastructure failures.
	Attempts int
	Error    string
	// Cached reports that an earlier run made and paid for it; this run found it by its
	// key.
	Cached bool
	// Answer is the graded text, bounded, for the report.
	Answer string
	Time   time.Time
	// Transcript is stored separately, under Key; nil when it was not kept or not loaded.
	Transcript *agent.Transcript
}

// Grade is the result of one grader.
type Grade struct {
	Type   string  `json:"type"`
	Score  float64 `json:"score"`
	Pass   bool    `json:"pass"`
	Weight float64 `json:"weight,omitempty"`
	Reason string  `json:"reason,omitempty"`
}

// Reasons returns the reasons of the graders that the answer did not satisfy, and the
// error that the agent ended with.
func (e *Evaluation) Reasons() []string {
	var out []string
	for _, g := range e.Grades {
		if !g.Pass && g.Reason != "" {
			out = append(out, g.Reason)
		}
	}
	if e.Error != "" {
		out = append(out, e.Error)
	}
	return out
}
