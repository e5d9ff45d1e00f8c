package reports

import (
	"time"

	"evolve/archive"
	"evolve/runtime/policy"
)

// Volatile is everything that may differ between two runs of the same plan and
// seed: times, host, timing, retries, commits, the ledger's head.
type Volatile struct {
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	Until   time.Time `json:"until,omitzero"`
	Seconds float64   `json:"seconds"`
	Phases  []Phase   `json:"phases,omitempty"`
	Host    string    `json:"host,omitempty"`
	Binary  string    `json:"binary,omitempty"`
	// Concurrency was allowed, Reached was reached.
	Concurrency int `json:"concurrency"`
	Reached     int `json:"reached"`
	Resumed     int `json:"resumed"`
	// CostUSD is what the run paid for; what it found in the archive costs nothing.
	CostUSD float64 `json:"cost_usd"`
	// PatchUSD is the part of it that was paid to have patches written, tried and reviewed.
	PatchUSD float64 `json:"patch_usd,omitempty"`
	// Guards says how the calls of tools and providers fared under their policies.
	Guards []policy.Stat `json:"guards,omitempty"`
	// LedgerError says why the ledger could not be verified.
	LedgerEntries int64           `json:"ledger_entries"`
	LedgerHead    string          `json:"ledger_head,omitempty"`
	LedgerError   string          `json:"ledger_error,omitempty"`
	Agents        []VolatileAgent `json:"agents"`
	// Waiting are the proposals of configs that were made before this run and await a
	// person now.
	Waiting []Waiting `json:"waiting,omitempty"`
	// Patches are changes of source code that await a person, then those that were
	// stopped. They belong to the workspace, not to an agent.
	Patches []Patch `json:"patches,omitempty"`
	// PatchWork is what the run itself did about patches, whatever came of it.
	PatchWork []archive.PatchNote `json:"patch_work,omitempty"`
	// Removed is what retention has removed of the run since; nil: nothing.
	Removed *archive.RunRemoved `json:"removed,omitempty"`
}

// Phase is the time one part of the run took.
type Phase struct {
	Phase   string  `json:"phase"`
	Seconds float64 `json:"seconds"`
}

// VolatileAgent is the volatile part of an agent's report, in the order of Report.Agents.
type VolatileAgent struct {
	Agent string `json:"agent"`
	// Sandbox names the walls the agent ran in.
	Sandbox string `json:"sandbox,omitempty"`
	// Limit is the one that bound the work on the agent; nil where that is not on record.
	Limit *archive.AgentLimit `json:"limit,omitempty"`
	// Cached evaluations were paid for by an earlier run, Retries repeated after
	// infrastructure failures.
	Cached  int `json:"cached"`
	Retries int `json:"retries"`
	// Latency on the holdout, in seconds; absent without scored evaluations.
	Champion *Latency `json:"champion_latency,omitempty"`
	Variant  *Latency `json:"variant_latency,omitempty"`
	// Guard is the condition on latency, where there is one.
	Guard     *Guard             `json:"latency_guard,omitempty"`
	Proposals []VolatileProposal `json:"proposals,omitempty"`
}

// Latency is the median and the 95th percentile, in seconds.
type Latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
}

// VolatileProposal says where a proposal is kept and what became of it.
type VolatileProposal struct {
	ID       string                 `json:"id"`
	Created  time.Time              `json:"created,omitzero"`
	Commit   string                 `json:"commit,omitempty"`
	Ref      string                 `json:"ref,omitempty"`
	Evidence string                 `json:"evidence,omitempty"`
	Decision *archive.DecisionBrief `json:"decision,omitempty"`
	// Addressed names places that address a reviewer: see [Addressed].
	Addressed []string `json:"addressed_to_reviewers,omitempty"`
}
