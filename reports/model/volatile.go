package model

import (
	"context"
	"time"

	"evolve/archive"
	"evolve/runtime/policy"
)

// Volatile holds everything that may differ between two runs of the same plan and seed:
// times, host, timing, retries, commits and the head of the ledger.
type Volatile struct {
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	Until   time.Time `json:"until,omitzero"`
	Seconds float64   `json:"seconds"`
	Phases  []Phase   `json:"phases,omitempty"`
	Host    string    `json:"host,omitempty"`
	Binary  string    `json:"binary,omitempty"`
	// Concurrency is the maximum number of workers allowed, and Reached is the largest
	// number of workers that were active at the same time.
	Concurrency int `json:"concurrency"`
	Reached     int `json:"reached"`
	Resumed     int `json:"resumed"`
	// CostUSD is the total amount that all processes of the run paid; results found in the
	// archive cost nothing.
	CostUSD float64 `json:"cost_usd"`
	// UnrecordedUSD is the part of CostUSD for which there is no record, because calls were
	// repeated or cut off. It is partly an estimate.
	UnrecordedUSD float64 `json:"unrecorded_usd,omitempty"`
	// JudgeUSD is the part of CostUSD that was paid for judges of answers.
	JudgeUSD float64 `json:"judge_usd,omitempty"`
	// PatchUSD is the part of CostUSD that was paid for writing, trying and reviewing
	// patches.
	PatchUSD float64 `json:"patch_usd,omitempty"`
	// ToolUSD is the part of CostUSD that was paid for rewriting tools.
	ToolUSD float64 `json:"tool_usd,omitempty"`
	// Guards holds statistics on the calls to tools and providers under their policies.
	Guards []policy.Stat `json:"guards,omitempty"`
	// Live describes the effect of limits and breakers on the live turns in the week before
	// the end of the run.
	Live []policy.Saturation `json:"live,omitempty"`
	// LedgerError is the reason why the ledger could not be verified.
	LedgerEntries int64           `json:"ledger_entries"`
	LedgerHead    string          `json:"ledger_head,omitempty"`
	LedgerError   string          `json:"ledger_error,omitempty"`
	Agents        []VolatileAgent `json:"agents"`
	// Waiting are the proposals of configs that were made before this run and still await
	// a person.
	Waiting []Waiting `json:"waiting,omitempty"`
	// Branches lists the proposals that await a person's decision as branches on a remote.
	Branches []Branch `json:"branches,omitempty"`
	// Patches are changes to source code: first those that await a person, then those that
	// were stopped. They belong to the workspace, not to an agent.
	Patches []Patch `json:"patches,omitempty"`
	// PatchWork describes the work that the run itself did on patches, whatever the
	// work's result.
	PatchWork []archive.PatchNote `json:"patch_work,omitempty"`
	// Removed is what retention has since removed from the run; it is nil if nothing was
	// removed.
	Removed *archive.RunRemoved `json:"removed,omitempty"`
}

// DraftPhase is the name of the phase of the requests to the models of search.reflect,
// which are made alongside the search.
const DraftPhase = archive.DraftPhase

// Phase is one part of the run, with its duration.
type Phase struct {
	Phase   string  `json:"phase"`
	Seconds float64 `json:"seconds"`
}

// VolatileAgent is the volatile part of an agent's report. Its instances are in the order
// of Report.Agents.
type VolatileAgent struct {
	Agent string `json:"agent"`
	// Sandbox names the sandbox in which the agent ran.
	Sandbox string `json:"sandbox,omitempty"`
	// Limit is the limit that stopped the work on the agent; it is nil if it was not
	// recorded.
	Limit *archive.AgentLimit `json:"limit,omitempty"`
	// Tools are the notes from live turns on the agent's tools when the run began: first
	// the tools that should be changed, then those that were called most.
	Tools []archive.ToolNote `json:"tools,omitempty"`
	// Cached is the number of evaluations that an earlier run had already paid for, and
	// Retries is the number of evaluations repeated after infrastructure failures.
	Cached  int `json:"cached"`
	Retries int `json:"retries"`
	// Champion and Variant are the latencies of the two sides on the holdout, in seconds;
	// they are nil if there are no scored evaluations.
	Champion *Latency `json:"champion_latency,omitempty"`
	Variant  *Latency `json:"variant_latency,omitempty"`
	// P95Ratio is the ratio of the 95th percentiles, with its 90 % interval; it is nil if
	// there are too few tasks to show anything.
	P95Ratio *Ratio `json:"p95_ratio,omitempty"`
	// Guard is the condition on latency, if there is one.
	Guard     *Guard             `json:"latency_guard,omitempty"`
	Proposals []VolatileProposal `json:"proposals,omitempty"`
	// Watch compares the active config with its past performance; it is nil if there is
	// nothing to report.
	Watch *Watch `json:"watch,omitempty"`
}

// Latency is a median and a 95th percentile, in seconds.
type Latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
}

// VolatileProposal holds the location of a proposal and the decision on it.
type VolatileProposal struct {
	ID       string                 `json:"id"`
	Created  time.Time              `json:"created,omitzero"`
	Commit   string                 `json:"commit,omitempty"`
	Ref      string                 `json:"ref,omitempty"`
	Evidence string                 `json:"evidence,omitempty"`
	Decision *archive.DecisionBrief `json:"decision,omitempty"`
	// Waits is the reason why the draft of a patch waits for its gates; it is empty if the
	// draft does not wait.
	Waits string `json:"waits,omitempty"`
	// Addressed lists the places where the text addresses a reviewer; see [Addressed].
	Addressed []string `json:"addressed_to_reviewers,omitempty"`
}

// leastUnrecorded is the smallest difference, in USD, that counts as more than rounding
// when what a run paid is compared with the sum of its records.
const leastUnrecorded = 1e-6

// countPaid replaces the sum of the run's records with the recorded total of what the run
// paid.
func (v *Volatile) countPaid(ctx context.Context, src Source, run archive.Run) error {
	paid, known, err := src.Paid(ctx, run)
	if err != nil || !known {
		return err
	}
	if d := paid - v.CostUSD; d > leastUnrecorded {
		v.UnrecordedUSD = d
	}
	v.CostUSD = paid
	return nil
}
