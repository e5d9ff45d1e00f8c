package archive

import (
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Verdict of a run for an agent.
type Verdict = stats.Verdict

// The verdicts.
const (
	Adopt     = stats.Adopt
	Keep      = stats.Keep
	Undecided = stats.Undecided
	Trade     = stats.TradeOff
	Waits     = stats.Waits
	Refused   = stats.Refused
)

// AgentResult is the result of a run for one agent.
type AgentResult struct {
	Run     string  `json:"run"`
	Agent   string  `json:"agent"`
	Verdict Verdict `json:"verdict"`
	// Reason is one plain sentence.
	Reason string `json:"reason"`
	// Finished reports whether the work on the agent was completed; a resumed run does
	// not repeat it.
	Finished bool `json:"finished,omitempty"`
	// Resumed is the number of times that the run had been resumed when an unfinished result was
	// stored; 0 for a finished one.
	Resumed int `json:"resumed,omitempty"`
	// Causes lists the grounds of the verdict, in order; empty in runs from before they
	// were recorded.
	Causes []stats.Cause `json:"causes,omitempty"`
	// Detectable is the smallest improvement that the confirmation could have found
	// at 80 % power, in score units; 0 when nothing was confirmed, 1 for none.
	Detectable float64      `json:"detectable"`
	Search     SearchResult `json:"search"`
	Finalist   []Finalist   `json:"finalists,omitempty"`
	// Grounds holds the inputs of the rulings on the finalists; nil without finalists, and
	// in results of an older evolve.
	Grounds *Grounds `json:"grounds,omitempty"`
	// Reference is the config that the finalists were measured against; nil: the champion.
	Reference *stats.Reference `json:"reference,omitempty"`
	// Ablations describe how the finalists were reduced, in their order. Ablation is the
	// only one of earlier versions; it is no longer written.
	Ablations []Ablation `json:"ablations,omitempty"`
	Ablation  *Ablation  `json:"ablation,omitempty"`
	// Entries is the state of the error control in the month after this run; nil without a
	// confirmation.
	Entries *EntryLedger `json:"entries,omitempty"`
	// LeftOut lists variants that the search found and an earlier proposal excluded.
	LeftOut []LeftOut `json:"left_out,omitempty"`
	// Refused are the proposals of finalists that their gates refused. Winner is the finalist
	// that is recommended; empty for none.
	Refused []stats.Refusal `json:"refused,omitempty"`
	Winner  agent.ConfigID  `json:"winner,omitempty"`
	// AA compares the champion with a fresh rerun of itself; nil when it was not run.
	AA *stats.Noise `json:"aa,omitempty"`
	// Repeats counts the equal answers in that rerun; nil if it was not run.
	Repeats *Repeats `json:"repeats,omitempty"`
	// Judges is the noise and the cost of the judges; nil without any.
	Judges    *stats.JudgeNoise `json:"judges,omitempty"`
	Proposals []string          `json:"proposals,omitempty"`
	// Watch compares the active config with earlier nights; nil in results of an older
	// evolve.
	Watch *Watch `json:"watch,omitempty"`
	// Strayed is the first reason of consecutive infrastructure failures during which the
	// champion answered, so that they are due to some variants or tasks; empty for none.
	Strayed string `json:"strayed,omitempty"`
	// Warnings describe problems that the night found in the agent in use, such as a
	// retracted memory that a failed turn asked for.
	Warnings []string `json:"warnings,omitempty"`
	// Incomplete describes the planned work that the run did not finish.
	Incomplete string `json:"incomplete,omitempty"`
	// SearchDone reports whether the search stage came to its planned end.
	SearchDone bool `json:"search_done"`
	// Blocks counts the complete blocks of the confirmation: champion and every
	// finalist once on every holdout task.
	Blocks int `json:"blocks"`
	// Infrastructure counts evaluations that are missing because of infrastructure
	// failures.
	Infrastructure int `json:"infrastructure"`
}

// Minimised returns the ablations of the finalists, of results of every version.
func (r AgentResult) Minimised() []Ablation {
	if r.Ablation != nil {
		return append([]Ablation{*r.Ablation}, r.Ablations...)
	}
	return r.Ablations
}

// LeftOut is a variant that did not enter the confirmation because of a proposal that
// waits, that a person rejected or rolled back, or that gates refused.
type LeftOut struct {
	Variant  agent.ConfigID `json:"variant"`
	Proposal string         `json:"proposal"`
	Reason   string         `json:"reason"`
}

// EntryLedger is the allowance of the error control across nights and its use: at most
// Most entries in any Days days, each at Alpha.
type EntryLedger struct {
	Days  int     `json:"days"`
	Most  int     `json:"most"`
	Used  int     `json:"used"`
	Level float64 `json:"level"`
	Alpha float64 `json:"alpha"`
}
