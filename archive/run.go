package archive

import (
	"time"

	"evolve/runtime/policy"
)

// RunState is the state of a run.
type RunState string

// The states of a run.
const (
	RunRunning     RunState = "running"
	RunDone        RunState = "done"
	RunInterrupted RunState = "interrupted"
	RunFailed      RunState = "failed"
)

// DraftPhase is the key in [Run.Phases] for the time spent on requests to the models of
// search.reflect.
const DraftPhase = "drafts"

// Run is one run, with its options and its outcome.
type Run struct {
	// ID is "<number>-<hash of the plan>": the same plan at the same position in the
	// history has the same id.
	ID      string    `json:"id"`
	Number  int       `json:"number"`
	State   RunState  `json:"state"`
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	Exit    int       `json:"exit"`
	// Reason describes in words why the run ended.
	Reason      string   `json:"reason,omitempty"`
	Agents      []string `json:"agents"`
	Stages      []string `json:"stages"`
	Selection   string   `json:"selection"`
	Seed        int64    `json:"seed"`
	Lookahead   int      `json:"lookahead"`
	Concurrency int      `json:"concurrency"`
	// Reached is the highest number of concurrent evaluations.
	Reached int `json:"reached"`
	// Resumed is the number of times that the run was resumed.
	Resumed    int           `json:"resumed"`
	BudgetEval int           `json:"budget_evals,omitempty"`
	BudgetUSD  float64       `json:"budget_usd,omitempty"`
	BudgetTime time.Duration `json:"budget_time,omitempty"`
	Until      time.Time     `json:"until,omitzero"`
	// Phases holds the time spent in each stage and, under [DraftPhase], the time spent on
	// the requests to the models of search.reflect, which are made during the search.
	Phases map[string]time.Duration `json:"phases,omitempty"`
	// Limits describe what limited the work on each agent, and the measured cost of its
	// evaluations.
	Limits []AgentLimit `json:"limits,omitempty"`
	// Since is the time at which the current process started or resumed the run, and Worked
	// is the time that earlier processes spent on it.
	Since  time.Time     `json:"since,omitzero"`
	Worked time.Duration `json:"worked,omitempty"`
	// Policy is the version of the policies.
	Policy string `json:"policy,omitempty"`
	// Asked is a digest of the options with which the run was started; it distinguishes a
	// repetition of the same command from another command.
	Asked string `json:"asked,omitempty"`
	// Try is the command that reproduces the fault of a program that failed repeatedly; it
	// is empty if there was none.
	Try string `json:"try,omitempty"`
	// Spent names the budget in the policies that ended the work on an agent before
	// anything was decided; it is empty if there was none.
	Spent string `json:"spent,omitempty"`
	// Guards are the statistics of limiters, breakers and budgets of tools and providers.
	Guards []policy.Stat `json:"guards,omitempty"`
	// Live is the effect of limits and breakers on the live turns of all agents of the
	// workspace in the days before the end of the run.
	Live []policy.Saturation `json:"live,omitempty"`
	// Patches lists the night's work on patches of code, in order.
	Patches []PatchNote `json:"patches,omitempty"`
	// Tools are the notes on the tools that the agents' live turns had called when the
	// run began, keyed by agent.
	Tools []ToolNote `json:"tools,omitempty"`
	// PaidUSD is the sum that all processes of the run had paid when it ended, in USD, with
	// estimates for calls that were cut off. It is 0 if nothing was paid, and in runs of an
	// older version of evolve.
	PaidUSD float64 `json:"paid_usd,omitempty"`
	// PatchUSD is the cost of trying patches on agents' tasks and of having patches
	// reviewed, in USD; the cost of writing them is in Patches.
	PatchUSD float64 `json:"patch_usd,omitempty"`
	Binary   string  `json:"binary,omitempty"`
	Host     string  `json:"host,omitempty"`
	// Imported reports whether the run was imported from another archive.
	Imported bool `json:"imported,omitempty"`
	// Removed counts the records that [GC] has removed from the run; it is nil if there are
	// none.
	Removed *RunRemoved `json:"removed,omitempty"`
}

// RunRemoved counts the records that [GC] has removed from a run, with the time of the last
// removal.
type RunRemoved struct {
	Transcripts int       `json:"transcripts,omitempty"`
	Evaluations int       `json:"evaluations,omitempty"`
	Time        time.Time `json:"time"`
}

// LimitEnd describes how a run's work on an agent ended with respect to its limits.
type LimitEnd string

// The possible ends:
//
//   - LimitSpent: the limit ran out.
//   - LimitLeft: the search used all of its share, and the confirmation did not need all of its own.
//   - LimitExhausted: the search had no config left to try.
//   - LimitPolicies: a limit set by policies ended the work.
//   - LimitInterrupted and LimitFailed: the work ended before any limit ran out.
const (
	LimitSpent       LimitEnd = "spent"
	LimitLeft        LimitEnd = "left"
	LimitExhausted   LimitEnd = "exhausted"
	LimitPolicies    LimitEnd = "policies"
	LimitInterrupted LimitEnd = "interrupted"
	LimitFailed      LimitEnd = "failed"
)

// AgentLimit is the limit on a run's work on an agent, and the measured cost of an
// evaluation. Two runs with equal settings can have different figures.
type AgentLimit struct {
	Agent string `json:"agent"`
	// Bound is the limit that allowed the fewest evaluations: "evaluations", "money",
	// "time", "deadline" or "enough" (as many as the search can use); it is empty if speed
	// and price were unknown.
	Bound string `json:"bound,omitempty"`
	// End describes the end of the work on the agent; it is empty if that was not recorded.
	End LimitEnd `json:"end,omitempty"`
	// Policy names the limit under policies when End is LimitPolicies.
	Policy string `json:"policy,omitempty"`
	// Evaluations is the number of evaluations that Bound allowed, and Used is the number
	// that the agent used, without the evaluations that infrastructure prevented.
	Evaluations int `json:"evaluations"`
	Used        int `json:"used,omitempty"`
	// Missing is the number of evaluations that infrastructure prevented. The plan counts
	// them as made, so they reduce what the search and the confirmation could use.
	Missing int `json:"missing,omitempty"`
	// Made is the number of used evaluations that were made rather than found in the
	// archive. The figures below are means over the evaluations made: Seconds is the wall
	// time of an evaluation at the concurrency reached, including the search's computation;
	// Alone is that time without the computation; and USD is the cost.
	Made    int     `json:"made,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	Alone   float64 `json:"alone,omitempty"`
	USD     float64 `json:"usd,omitempty"`
	// Parallel is the number of concurrent evaluations that the figures apply to, and Slots
	// is the number that the run made available to the agent; in older records Slots is 0,
	// which means all. If Parallel is smaller than Slots, the agent itself allowed no more.
	Parallel int `json:"parallel,omitempty"`
	Slots    int `json:"slots,omitempty"`
}
