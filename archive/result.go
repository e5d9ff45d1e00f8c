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
)

// AgentResult is what a run found for one agent.
type AgentResult struct {
	Run     string  `json:"run"`
	Agent   string  `json:"agent"`
	Verdict Verdict `json:"verdict"`
	// Reason is one plain sentence.
	Reason string `json:"reason"`
	// Finished says that the work on the agent came to its end; a run that is taken up does
	// not do it again.
	Finished bool `json:"finished,omitempty"`
	// Causes are what the verdict rests on, in order; none in runs from before they
	// were recorded.
	Causes []stats.Cause `json:"causes,omitempty"`
	// Detectable is the smallest improvement that the confirmation could have found
	// at 80 % power, in score units; 0 when nothing was confirmed, 1 for none.
	Detectable float64      `json:"detectable"`
	Search     SearchResult `json:"search"`
	Finalist   []Finalist   `json:"finalists,omitempty"`
	// Grounds are what the rulings on the finalists were computed from; nil without finalists,
	// and in results of an older evolve.
	Grounds *Grounds `json:"grounds,omitempty"`
	// Reference is what the finalists were measured against; nil: the champion.
	Reference *stats.Reference `json:"reference,omitempty"`
	// Ablations are how the finalists were made small, in their order. Ablation is the only
	// one of earlier versions; nothing writes it any more.
	Ablations []Ablation `json:"ablations,omitempty"`
	Ablation  *Ablation  `json:"ablation,omitempty"`
	// Entries is the error control of the month after this run; nil without a confirmation.
	Entries *EntryLedger `json:"entries,omitempty"`
	// LeftOut are variants that the search found and that a proposal kept out.
	LeftOut []LeftOut `json:"left_out,omitempty"`
	// Winner is the finalist that is recommended; empty for none.
	Winner agent.ConfigID `json:"winner,omitempty"`
	// AA is the champion against a fresh rerun of itself; nil when it was not run.
	AA *stats.Noise `json:"aa,omitempty"`
	// Repeats says how often that rerun gave the same answer; nil when it was not run.
	Repeats   *Repeats `json:"repeats,omitempty"`
	Proposals []string `json:"proposals,omitempty"`
	// Strayed is the first reason of infrastructure failures in a row during which the
	// champion answered, so that they belong to some variants or tasks; empty for none.
	Strayed string `json:"strayed,omitempty"`
	// Incomplete says what the run planned and did not finish.
	Incomplete string `json:"incomplete,omitempty"`
	// SearchDone says that the search stage came to its planned end.
	SearchDone bool `json:"search_done"`
	// Blocks counts the complete blocks of the confirmation: champion and every
	// finalist once on every holdout task.
	Blocks int `json:"blocks"`
	// Infrastructure counts evaluations left missing.
	Infrastructure int `json:"infrastructure"`
}

// Minimised lists how the finalists were made small, of results of every version.
func (r AgentResult) Minimised() []Ablation {
	if r.Ablation != nil {
		return append([]Ablation{*r.Ablation}, r.Ablations...)
	}
	return r.Ablations
}

// LeftOut is a variant that did not enter the confirmation because of a proposal that
// waits, or that a person rejected or rolled back.
type LeftOut struct {
	Variant  agent.ConfigID `json:"variant"`
	Proposal string         `json:"proposal"`
	Reason   string         `json:"reason"`
}

// EntryLedger is what the error control across nights allows and has used: at
// most Most entries in any Days days, each at Alpha.
type EntryLedger struct {
	Days  int     `json:"days"`
	Most  int     `json:"most"`
	Used  int     `json:"used"`
	Level float64 `json:"level"`
	Alpha float64 `json:"alpha"`
}
