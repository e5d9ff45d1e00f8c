package archive

import (
	"time"

	"evolve/runtime/policy"
)

// RunState is how far a run got.
type RunState string

// The states of a run.
const (
	RunRunning     RunState = "running"
	RunDone        RunState = "done"
	RunInterrupted RunState = "interrupted"
	RunFailed      RunState = "failed"
)

// Run is one batch: what was asked of it and how it ended.
type Run struct {
	// ID is "<number>-<hash of the plan>": the same plan in the same place in the
	// history has the same id.
	ID      string    `json:"id"`
	Number  int       `json:"number"`
	State   RunState  `json:"state"`
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	Exit    int       `json:"exit"`
	// Reason says in words why the run ended as it did.
	Reason      string   `json:"reason,omitempty"`
	Agents      []string `json:"agents"`
	Stages      []string `json:"stages"`
	Selection   string   `json:"selection"`
	Seed        int64    `json:"seed"`
	Lookahead   int      `json:"lookahead"`
	Concurrency int      `json:"concurrency"`
	// Reached is the highest number of evaluations that were under way at once.
	Reached int `json:"reached"`
	// Resumed counts the times the run was taken up again.
	Resumed    int                      `json:"resumed"`
	BudgetEval int                      `json:"budget_evals,omitempty"`
	BudgetUSD  float64                  `json:"budget_usd,omitempty"`
	BudgetTime time.Duration            `json:"budget_time,omitempty"`
	Until      time.Time                `json:"until,omitzero"`
	Phases     map[string]time.Duration `json:"phases,omitempty"`
	// Limits say what bound the work on each agent, and what its evaluations took.
	Limits []AgentLimit `json:"limits,omitempty"`
	// Since is when this process took the run up, Worked how long the processes before
	// it worked on it.
	Since  time.Time     `json:"since,omitzero"`
	Worked time.Duration `json:"worked,omitempty"`
	// Policy is the version of the policies.
	Policy string `json:"policy,omitempty"`
	// Asked is a digest of the options that it was begun with, which distinguishes the same command
	// given once more from another.
	Asked string `json:"asked,omitempty"`
	// Try is the command that shows the fault of a program that kept failing; empty where
	// none did.
	Try string `json:"try,omitempty"`
	// Spent names the budget of the policies that ended the work on an agent before
	// anything was decided; empty where none did.
	Spent string `json:"spent,omitempty"`
	// Guards are the statistics of limiters, breakers and budgets of tools and providers.
	Guards []policy.Stat `json:"guards,omitempty"`
	// Patches are what the night did about patches of code, in its order.
	Patches []PatchNote `json:"patches,omitempty"`
	// PatchUSD is what the night has paid to try patches as agents and to have them
	// reviewed, in USD; what was paid to have them written stands in Patches.
	PatchUSD float64 `json:"patch_usd,omitempty"`
	Binary   string  `json:"binary,omitempty"`
	Host     string  `json:"host,omitempty"`
	// Imported says that it is of another archive: this one took it in.
	Imported bool `json:"imported,omitempty"`
	// Removed is what a retention has removed of the run; nil: nothing.
	Removed *RunRemoved `json:"removed,omitempty"`
}

// RunRemoved counts what retention has removed of a run, and when it last did.
type RunRemoved struct {
	Transcripts int       `json:"transcripts,omitempty"`
	Evaluations int       `json:"evaluations,omitempty"`
	Time        time.Time `json:"time"`
}

// LimitEnd is how a run's work on an agent ended, as far as its limits go.
type LimitEnd string

// The ends. LimitSpent: the limit ran out. LimitLeft: the search had all of its share, and
// what was held back for the confirmation was not all needed. LimitExhausted: the search
// had no config left to try. LimitPolicies: a limit under policies ended the work.
// LimitInterrupted and LimitFailed: the work ended before any limit ran out.
const (
	LimitSpent       LimitEnd = "spent"
	LimitLeft        LimitEnd = "left"
	LimitExhausted   LimitEnd = "exhausted"
	LimitPolicies    LimitEnd = "policies"
	LimitInterrupted LimitEnd = "interrupted"
	LimitFailed      LimitEnd = "failed"
)

// AgentLimit is the limit that bound a run's work on an agent, and what an evaluation of
// the agent took in it. Figures are measured: they differ between equal runs.
type AgentLimit struct {
	Agent string `json:"agent"`
	// Bound is the limit that allowed the fewest: "evaluations", "money", "time", "deadline"
	// or "enough" (as many as the search has a use for); empty when nothing was known of
	// speed and price.
	Bound string `json:"bound,omitempty"`
	// End is how the work on the agent ended; empty where that is not on record.
	End LimitEnd `json:"end,omitempty"`
	// Policy names the limit under policies, where the end is that.
	Policy string `json:"policy,omitempty"`
	// Evaluations is how many Bound left room for, Used how many the agent had.
	Evaluations int `json:"evaluations"`
	Used        int `json:"used,omitempty"`
	// Paid is the money that the agent's evaluations have cost in the run, in USD.
	Paid float64 `json:"paid_usd,omitempty"`
	// Made is how many of them were made and not found in the archive; the figures below
	// are means over these: Seconds of wall time each, at the concurrency reached and with
	// the search's thinking, Alone without the thinking, USD the cost.
	Made    int     `json:"made,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	Alone   float64 `json:"alone,omitempty"`
	USD     float64 `json:"usd,omitempty"`
	// Parallel is how many were made at once at most.
	Parallel int `json:"parallel,omitempty"`
}
