package archive

import (
	"evolve/bench"
	"evolve/bench/metrics"
	"evolve/runtime/agent"
)

// AgentPlan is the plan of a run for one agent, written before money is spent.
type AgentPlan struct {
	Run       string   `json:"run"`
	Agent     string   `json:"agent"`
	Suites    []string `json:"suites"`
	SuiteHash string   `json:"suite_hash"`
	SplitHash string   `json:"split_hash"`
	AgentHash string   `json:"agent_hash"`
	SpaceHash string   `json:"space_hash"`
	// Searched are hashes of the requests of the search tasks, so that a later night does
	// not take any of them for unseen; empty if an earlier run on the same suites has them,
	// or from an older evolve.
	Searched []string `json:"searched,omitempty"`
	// Commit was checked out when the run began; empty without a repository.
	Commit string `json:"commit,omitempty"`
	// CodeCommit is the commit of the target whose code is searched, in the target's repository;
	// empty for other agents, and in plans of an older evolve.
	CodeCommit string `json:"code_commit,omitempty"`
	// Spends identifies the data that entries into the confirmation spend; see [Candidate].
	Spends string `json:"spends,omitempty"`
	// Experience identifies what the agent's live turns had shown when the run began;
	// empty for nothing.
	Experience string `json:"experience,omitempty"`
	// PricesHash identifies the prices of models; empty when there are none.
	PricesHash string `json:"prices_hash,omitempty"`
	// Params are the names of the space in its order.
	Params   []string       `json:"params,omitempty"`
	Adapter  string         `json:"adapter"`
	Champion agent.ConfigID `json:"champion"`
	// Replaced is the config that the latest adoption replaced, which the reruns measure beside
	// the champion; empty for none.
	Replaced agent.ConfigID `json:"replaced,omitempty"`
	// Default is the space's own default, which may differ from the champion.
	Default       agent.ConfigID `json:"default"`
	Deterministic bool           `json:"deterministic"`
	UsesSeed      bool           `json:"uses_seed"`
	// Metric is the kind of the metric if a command measures versions of code; nil for
	// agents. Noise is the variation of its values for the same code; nil if they do not
	// vary.
	Metric *metrics.Kind  `json:"metric,omitempty"`
	Noise  *metrics.Noise `json:"noise,omitempty"`
	// Sandbox names the isolation of the agent: "namespaces", "bubblewrap", "none: why" or
	// "in process".
	Sandbox string `json:"sandbox"`
	// The evaluations planned for each stage.
	Search   int `json:"search"`
	Baseline int `json:"baseline"`
	AA       int `json:"aa"`
	Ablate   int `json:"ablate,omitempty"`
	Confirm  int `json:"confirm"`
	// Finalists bounds the variants that enter the confirmation, Repeats is the number of
	// blocks that the plan can pay for one of them.
	Finalists    int `json:"finalists"`
	Repeats      int `json:"repeats"`
	SearchTasks  int `json:"search_tasks"`
	HoldoutTasks int `json:"holdout_tasks"`
	// Detectable is the smallest improvement that the plan can detect at 80 % power, in
	// score units; 0 when none can be.
	Detectable float64 `json:"detectable"`
	// Month is the same for a month of such nights.
	Month float64 `json:"detectable_month,omitempty"`
	// Power describes both in words, with the number of tasks that would detect more; empty
	// without a confirmation.
	Power    string   `json:"power,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	// Alike describes in words the near-duplicates of each suite that has some.
	Alike []string `json:"alike,omitempty"`
	// Judges describes in words the judges of the suites: model and calibration. JudgeNoise
	// is the noise that the latest run measured, as a continuation of Power; empty for
	// none.
	Judges     []string `json:"judges,omitempty"`
	JudgeNoise string   `json:"judge_noise,omitempty"`
	// JudgeTerms are the settings of the judges, by suite.
	JudgeTerms map[string]bench.JudgeTerms `json:"judge_terms,omitempty"`
	// Replanned reports whether the numbers of evaluations above were changed to follow
	// the measured speed and price of the agent's evaluations.
	Replanned bool `json:"replanned,omitempty"`
	// Released is the number of evaluations planned for the confirmation that went to the
	// search, because it had found nothing to confirm.
	Released int `json:"released,omitempty"`
	// Lent is the number of evaluations planned for the confirmation that went to the
	// ablation of the finalists, because the best finalist was projected to need fewer.
	Lent int `json:"lent,omitempty"`
	// Waits are the agent's proposals that awaited a person when the run was planned, the
	// oldest first. Against is the variant of the last that is not stale: candidates are
	// measured against it instead of the champion; empty for none.
	Waits   []Waiting      `json:"waits,omitempty"`
	Against agent.ConfigID `json:"against,omitempty"`
}

// Reference returns the config that candidates are measured against: the variant of a
// waiting proposal, or the champion.
func (p AgentPlan) Reference() agent.ConfigID {
	if p.Against != "" {
		return p.Against
	}
	return p.Champion
}

// Waiting is a proposal of a config, or of a version of searched code, that awaited a person.
type Waiting struct {
	Proposal string         `json:"proposal"`
	Variant  agent.ConfigID `json:"variant"`
	// Drafted reports whether its gates had not run yet.
	Drafted bool `json:"drafted,omitempty"`
	// Stale names the inputs that changed since the proposal was measured; such a
	// proposal cannot be approved and blocks nothing.
	Stale []string `json:"stale,omitempty"`
}
