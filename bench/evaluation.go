package bench

import (
	"math"
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
	// StageAblate removes the changes in the search's winner that do not matter; it uses
	// search tasks.
	StageAblate Stage = "ablate"
	StageBench  Stage = "bench" // by hand: evolve bench run
)

// ConfirmSeq is the lowest Seq of the confirmation's evaluations. All other evaluations of
// a run have a lower Seq, so the evidence of a night can be read without its search.
const ConfirmSeq int64 = 2 << 32

// Key is the content key of an evaluation: a hash over everything that could change its
// answer. Evaluations with equal keys are interchangeable.
type Key string

// Evaluation is the record of one evaluation of a variant on a task, in one repeat. Its
// JSON is a line in an export of the archive, so the names of its fields never change.
type Evaluation struct {
	Run   string `json:"run"`
	Agent string `json:"agent"`
	// Seq is the number of the job within (run, agent), from 0.
	Seq     int64          `json:"seq"`
	Key     Key            `json:"key"`
	Variant agent.ConfigID `json:"variant,omitempty"`
	Task    string         `json:"task,omitempty"`
	Domain  string         `json:"domain,omitempty"`
	Split   Split          `json:"split,omitempty"`
	Stage   Stage          `json:"stage,omitempty"`
	Repeat  int            `json:"repeat,omitempty"`
	Seed    int64          `json:"seed,omitempty"`

	Outcome agent.Outcome `json:"outcome,omitempty"`
	// Scored is false for missing data, which has no score and is excluded from all
	// statistics.
	Scored bool `json:"scored,omitempty"`
	// Score is in [0,1].
	Score  float64     `json:"score,omitempty"`
	Pass   bool        `json:"pass,omitempty"`
	Grades []Grade     `json:"grades,omitempty"`
	Usage  agent.Usage `json:"usage,omitzero"`
	// Judge is the combined usage of the judge models that graded the evaluation and of the
	// simulated user; none of it counts as the agent's usage. Iterations is the number of
	// their calls. A grade that the run already had needed no calls.
	Judge agent.Usage `json:"judge,omitzero"`
	// Latency is the wall time of the successful attempt.
	Latency time.Duration `json:"latency_ns,omitempty"`
	// Started reports whether Latency includes the start of a process that also serves
	// later evaluations.
	Started bool `json:"started,omitempty"`
	// Judging is the wall time of the graders if they called judge models, and 0 otherwise.
	Judging time.Duration `json:"judging_ns,omitempty"`
	// Attempts is 1 plus the retries after infrastructure failures.
	Attempts int    `json:"attempts,omitempty"`
	Error    string `json:"error,omitempty"`
	// Cached reports whether an earlier run made and paid for the evaluation, and this
	// run found it by its key.
	Cached bool `json:"cached,omitempty"`
	// Answer is the graded text, truncated for the report.
	Answer string    `json:"answer,omitempty"`
	Time   time.Time `json:"time,omitzero"`
	// Transcript is stored separately, under Key; it is nil if it was not stored or not
	// loaded.
	Transcript *agent.Transcript `json:"-"`
}

// Grade is the result of one grader.
type Grade struct {
	Type   string  `json:"type"`
	Score  float64 `json:"score"`
	Pass   bool    `json:"pass"`
	Weight float64 `json:"weight,omitempty"`
	Reason string  `json:"reason,omitempty"`
	// Samples is the number of draws from a judge model, and SD is the standard deviation
	// of their scores.
	Samples int     `json:"samples,omitempty"`
	SD      float64 `json:"sd,omitempty"`
}

// Paid returns the cost of the evaluation in USD: the agent's and the judges'.
func (e *Evaluation) Paid() float64 { return e.Usage.CostUSD + e.Judge.CostUSD }

// AnswerSeconds returns the time, in seconds, that the agent took to answer, as the latency
// statistics count it. It returns NaN if the agent gave nothing to grade, or if Latency
// includes the start of a process.
func (e *Evaluation) AnswerSeconds() float64 {
	if e.Started || !e.Outcome.Gradable() {
		return math.NaN()
	}
	return e.Latency.Seconds()
}

// Whole reports whether Answer is certainly the whole answer.
func (e *Evaluation) Whole() bool { return len(e.Answer) < answerKept-clipped }

// clipped is an upper bound, in bytes, on the difference between [answerKept] and the
// length of a truncated answer.
const clipped = 16

// Reasons returns the reasons given by the graders that the answer did not pass, followed
// by the error with which the agent ended, if any.
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
