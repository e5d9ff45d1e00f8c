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
	// Searched holds hashes of the requests of the search tasks, so that a later night
	// does not mistake any of these tasks for unseen ones. It is empty if an earlier run
	// on the same suites stored the hashes, and in plans that an older version of evolve
	// made.
	Searched []string `json:"searched,omitempty"`
	// Commit is the commit that was checked out when the run began; it is empty if there is
	// no repository.
	Commit string `json:"commit,omitempty"`
	// CodeCommit is the commit of the target whose code is searched, in the target's
	// repository; it is empty for other agents, and in plans that an older version of
	// evolve made.
	CodeCommit string `json:"code_commit,omitempty"`
	// Spends identifies the data that entries into the confirmation spend; see [Candidate].
	Spends string `json:"spends,omitempty"`
	// Experience identifies the experience that the agent's live turns had yielded when the
	// run began; it is empty if there was none.
	Experience string `json:"experience,omitempty"`
	// PricesHash identifies the prices of models; it is empty when there are none.
	PricesHash string `json:"prices_hash,omitempty"`
	// Params lists the names of the parameters of the space, in the order of the space.
	Params   []string       `json:"params,omitempty"`
	Adapter  string         `json:"adapter"`
	Champion agent.ConfigID `json:"champion"`
	// Replaced is the config that the latest adoption replaced; it is empty if there is
	// none. The reruns measure it together with the champion.
	Replaced agent.ConfigID `json:"replaced,omitempty"`
	// Default is the space's own default, which may differ from the champion.
	Default       agent.ConfigID `json:"default"`
	Deterministic bool           `json:"deterministic"`
	UsesSeed      bool           `json:"uses_seed"`
	// Metric is the kind of the metric if a command measures versions of code; it is nil
	// for agents. Noise is the variation of the metric's values for the same code; it is
	// nil if they do not vary.
	Metric *metrics.Kind  `json:"metric,omitempty"`
	Noise  *metrics.Noise `json:"noise,omitempty"`
	// Guarded lists the metrics whose guards are written in the settings, whether they
	// can be judged or not; it is empty in plans by an older version of evolve.
	Guarded []string `json:"guarded,omitempty"`
	// Sandbox names the isolation of the agent: "namespaces", "bubblewrap", "in process",
	// or "none: " and the reason.
	Sandbox string `json:"sandbox"`
	// The numbers of evaluations planned for each stage.
	Search   int `json:"search"`
	Baseline int `json:"baseline"`
	AA       int `json:"aa"`
	Ablate   int `json:"ablate,omitempty"`
	Confirm  int `json:"confirm"`
	// Finalists limits the number of variants that enter the confirmation, and Repeats is
	// the number of blocks that the plan can pay for if there is one finalist.
	Finalists    int `json:"finalists"`
	Repeats      int `json:"repeats"`
	SearchTasks  int `json:"search_tasks"`
	HoldoutTasks int `json:"holdout_tasks"`
	// Detectable is the smallest improvement that the plan can detect at 80 % power, in
	// score units, or 0 if it can detect none.
	Detectable float64 `json:"detectable"`
	// Month is the smallest improvement that a month of nights like this one can detect.
	Month float64 `json:"detectable_month,omitempty"`
	// Power describes Detectable and Month in words, with the number of tasks needed to
	// detect smaller improvements; it is empty if there is no confirmation.
	Power    string   `json:"power,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	// Alike describes in words the near-duplicates in each suite that has any.
	Alike []string `json:"alike,omitempty"`
	// Judges describes in words the model and the calibration of the suites' judges.
	// JudgeNoise describes the noise that the latest run measured, in words that continue
	// the text of Power; it is empty if there is none.
	Judges     []string `json:"judges,omitempty"`
	JudgeNoise string   `json:"judge_noise,omitempty"`
	// JudgeTerms are the settings of the judges, by suite.
	JudgeTerms map[string]bench.JudgeTerms `json:"judge_terms,omitempty"`
	// Replanned reports whether the numbers of evaluations above were changed to follow
	// the measured speed and price of the agent's evaluations.
	Replanned bool `json:"replanned,omitempty"`
	// Released is the number of evaluations that were planned for the confirmation but
	// went to the search, because the search had found nothing to confirm.
	Released int `json:"released,omitempty"`
	// Lent is the number of evaluations that were planned for the confirmation but went
	// to the ablation of the finalists, because the best finalist was projected to need
	// fewer.
	Lent int `json:"lent,omitempty"`
	// Waits are the agent's proposals that awaited a person when the run was planned, the
	// oldest first. Against is the variant of the last of them that is not stale, or empty
	// if there is none: candidates are measured against it instead of the champion.
	Waits   []Waiting      `json:"waits,omitempty"`
	Against agent.ConfigID `json:"against,omitempty"`
}

// Fixed reports whether the agent is declared to give the same result whenever an
// evaluation is repeated.
func (p AgentPlan) Fixed() bool { return p.Deterministic && !p.UsesSeed }

// Exact reports whether the agent is [AgentPlan.Fixed] and its scoring command was not
// found to print different values for the same code. Then all evaluations of a task by a
// variant have the same score.
func (p AgentPlan) Exact() bool { return p.Fixed() && !p.Noise.Any() }

// Reference returns the config against which candidates are measured: the variant of a
// waiting proposal, or the champion.
func (p AgentPlan) Reference() agent.ConfigID {
	if p.Against != "" {
		return p.Against
	}
	return p.Champion
}

// Waiting is a proposal for a config, or for a version of searched code, that awaited a
// person.
type Waiting struct {
	Proposal string         `json:"proposal"`
	Variant  agent.ConfigID `json:"variant"`
	// Drafted reports whether the gates of the proposal had not run yet.
	Drafted bool `json:"drafted,omitempty"`
	// Stale names the inputs that have changed since the proposal was measured; a proposal
	// with stale inputs cannot be approved and blocks nothing.
	Stale []string `json:"stale,omitempty"`
}
