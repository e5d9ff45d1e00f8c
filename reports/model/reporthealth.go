package model

import (
	"evolve/bench/metrics"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Health reports the technical condition of the run, such as its evaluations by stage and
// outcome, missing data, noise and warnings.
type Health struct {
	Stages   []Stage   `json:"stages"`
	Outcomes []Outcome `json:"outcomes"`
	// Lost are the causes of missing data, most frequent first.
	Lost []Lost `json:"lost,omitempty"`
	// Noise compares the champion with a rerun of itself.
	Noise *Noise `json:"noise,omitempty"`
	// ValueNoise describes how the values of the original code differed between several
	// starts of its scoring command before the night; it is nil if the command was not
	// started several times.
	ValueNoise *ValueNoise `json:"value_noise,omitempty"`
	// Constant is the number of tasks if the champion's rerun gave the same answers as
	// before on all of them, and 0 otherwise.
	Constant int `json:"constant,omitempty"`
	// Released is the number of evaluations planned for the confirmation that were moved to
	// the search because the search had found nothing to confirm.
	Released int `json:"released,omitempty"`
	// Lent is the number of evaluations that were planned for the confirmation but moved
	// to the ablation of the finalists, because the best finalist was projected to need
	// fewer evaluations than planned.
	Lent int `json:"lent,omitempty"`
	// Judges describes the judges of the agent's suites, their calibration and their noise.
	Judges []string `json:"judges,omitempty"`
	// Scale describes the cases in which the search's scores rank versions differently from
	// the versions' metric.
	Scale      []string `json:"scale,omitempty"`
	Warnings   []string `json:"warnings,omitempty"`
	Incomplete string   `json:"incomplete,omitempty"`
}

// PassPowers are the probabilities that k repeats of a task all pass, for both sides of a
// comparison.
type PassPowers struct {
	Champion []stats.Reliability `json:"champion"`
	Variant  []stats.Reliability `json:"variant"`
}

// Noise compares the champion with a rerun of itself. Drifted reports whether the two
// differ by more than chance allows; P is the two-sided p-value.
type Noise struct {
	Effect
	P       float64 `json:"p"`
	Drifted bool    `json:"drifted"`
}

// ValueNoise is the noise of a metric, in the metric's unit.
type ValueNoise struct {
	metrics.Kind
	metrics.Noise
}

// Words describes the noise.
func (n *ValueNoise) Words() string { return n.Noise.Words(n.Unit) }

// Stage counts the evaluations of one stage.
type Stage struct {
	Stage   string `json:"stage"`
	Planned int    `json:"planned"`
	Done    int    `json:"done"`
	// Missing is the number of evaluations that were lost to the infrastructure: they have
	// no score and are not counted in any figure.
	Missing int `json:"missing"`
	// Skipped is the number of evaluations that were planned but never made.
	Skipped int `json:"skipped"`
}

// Outcome counts the evaluations with one outcome.
type Outcome struct {
	Outcome agent.Outcome `json:"outcome"`
	Count   int           `json:"count"`
}

// Lost counts the evaluations that have no score because of one cause. The cause is
// untrusted text; an empty cause stands for all causes that are not listed.
type Lost struct {
	Cause string `json:"cause"`
	Count int    `json:"count"`
}

// Provenance identifies everything on which the figures depend.
type Provenance struct {
	Suites     []string `json:"suites"`
	SuiteHash  string   `json:"suite_hash"`
	SplitHash  string   `json:"split_hash"`
	AgentHash  string   `json:"agent_hash"`
	SpaceHash  string   `json:"space_hash"`
	PricesHash string   `json:"prices_hash,omitempty"`
	Adapter    string   `json:"adapter"`
	// Metric is the name of the metric that the scores measure; it is empty if tasks are
	// graded.
	Metric        string         `json:"metric,omitempty"`
	Champion      agent.ConfigID `json:"champion"`
	Default       agent.ConfigID `json:"default"`
	Deterministic bool           `json:"deterministic"`
	UsesSeed      bool           `json:"uses_seed"`
	SearchTasks   int            `json:"search_tasks"`
	HoldoutTasks  int            `json:"holdout_tasks"`
}
