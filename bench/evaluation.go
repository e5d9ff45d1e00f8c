package bench

import (
	"time"

	"evolve/runtime/agent"
)

// Stage is what an evaluation was made for.
type Stage string

// The stages. Screens and the random baseline are part of the search; AA is the
// champion against itself; Confirm is the only one that touches the holdout.
const (
	StageSearch   Stage = "search"
	StageBaseline Stage = "baseline"
	StageAA       Stage = "aa"
	StageConfirm  Stage = "confirm"
	// StageAblate makes the winner of the search small, on search tasks.
	StageAblate Stage = "ablate"
	StageBench  Stage = "bench" // by hand: evolve bench run
)

// Key is the content key of an evaluation: a hash over everything that could
// change its answer (spec 4.3). Equal keys, equal evaluation.
type Key string

// Evaluation is one recorded (variant, task, repeat).
type Evaluation struct {
	Key     Key
	Run     string
	Agent   string
	Variant agent.ConfigID
	Task    string
	Domain  string
	Split   Split
	Stage   Stage
	Repeat  int
	Seed    int64
	// Seq is the order of issue within (run, agent), from 0.
	Seq int64

	Outcome agent.Outcome
	// Scored is false for missing data: it has no score and counts nowhere.
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
	// Cached says that an earlier run paid for it: this run found it by its key.
	Cached bool
	// Answer is the graded text, bounded, for the report.
	Answer string
	// Transcript is stored apart, under Key; nil when it was not kept or not loaded.
	Transcript *agent.Transcript
	Time       time.Time
}

// Grade is one grader's word.
type Grade struct {
	Type   string  `json:"type"`
	Score  float64 `json:"score"`
	Pass   bool    `json:"pass"`
	Weight float64 `json:"weight,omitempty"`
	Reason string  `json:"reason,omitempty"`
}
