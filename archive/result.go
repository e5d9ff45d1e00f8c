package archive

import (
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Verdict is the verdict of a run for an agent.
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
	// Reason is the reason for the verdict, in one plain sentence.
	Reason string `json:"reason"`
	// Finished reports whether the work on the agent was completed; if it was, a resumed
	// run does not repeat it.
	Finished bool `json:"finished,omitempty"`
	// Resumed is the number of times that the run had been resumed when this result was
	// stored unfinished; it is 0 in a finished result.
	Resumed int `json:"resumed,omitempty"`
	// Causes lists the grounds of the verdict, in order; it is empty in runs from before
	// grounds were recorded.
	Causes []stats.Cause `json:"causes,omitempty"`
	// Detectable is the smallest improvement that the confirmation could have found at 80 %
	// power, in score units; it is 0 if nothing was confirmed, and 1 if no improvement
	// could have been found.
	Detectable float64      `json:"detectable"`
	Search     SearchResult `json:"search"`
	Finalist   []Finalist   `json:"finalists,omitempty"`
	// Grounds holds the inputs of the rulings on the finalists; it is nil if there are no
	// finalists, and in results from an older version of evolve.
	Grounds *Grounds `json:"grounds,omitempty"`
	// Reference is the config that the finalists were measured against; nil means the
	// champion.
	Reference *stats.Reference `json:"reference,omitempty"`
	// Ablations describe how the finalists were reduced, in the order of the finalists.
	// Ablation is the only ablation in results from older versions of evolve; new results
	// do not have it.
	Ablations []Ablation `json:"ablations,omitempty"`
	Ablation  *Ablation  `json:"ablation,omitempty"`
	// Entries is the state of the month's error control after this run; it is nil if there
	// was no confirmation.
	Entries *EntryLedger `json:"entries,omitempty"`
	// LeftOut lists variants that the search found but that were excluded because of an
	// earlier proposal.
	LeftOut []LeftOut `json:"left_out,omitempty"`
	// Refused lists the proposals of finalists that were refused by their gates. Winner is
	// the finalist that is recommended; it is empty if there is none.
	Refused []stats.Refusal `json:"refused,omitempty"`
	Winner  agent.ConfigID  `json:"winner,omitempty"`
	// AA compares the champion with a fresh rerun of itself; it is nil if there was no
	// rerun.
	AA *stats.Noise `json:"aa,omitempty"`
	// Repeats counts the equal answers in the champion's rerun; it is nil if there was no
	// rerun.
	Repeats *Repeats `json:"repeats,omitempty"`
	// Judges describes the noise and the cost of the judges; it is nil if there are none.
	Judges    *stats.JudgeNoise `json:"judges,omitempty"`
	Proposals []string          `json:"proposals,omitempty"`
	// Watch compares the active config with earlier nights; it is nil in results from an
	// older version of evolve.
	Watch *Watch `json:"watch,omitempty"`
	// Strayed is set if several consecutive infrastructure failures occurred while the
	// champion still answered, which means that some variants or tasks caused the
	// failures. Strayed is the reason for the first of these failures.
	Strayed string `json:"strayed,omitempty"`
	// Warnings describe problems that the night found in the agent in use, such as a
	// retracted memory that a failed turn asked for.
	Warnings []string `json:"warnings,omitempty"`
	// Incomplete describes the planned work that the run did not finish.
	Incomplete string `json:"incomplete,omitempty"`
	// SearchDone reports whether the search stage reached its planned end.
	SearchDone bool `json:"search_done"`
	// Blocks counts the complete blocks of the confirmation. In a block, the champion and
	// every finalist are evaluated once on every holdout task.
	Blocks int `json:"blocks"`
	// Infrastructure counts evaluations that are missing because of infrastructure
	// failures.
	Infrastructure int `json:"infrastructure"`
}

// Minimised returns the ablations of the finalists, whichever version of evolve wrote the
// result.
func (r AgentResult) Minimised() []Ablation {
	if r.Ablation != nil {
		return append([]Ablation{*r.Ablation}, r.Ablations...)
	}
	return r.Ablations
}

// LeftOut is a variant that did not enter the confirmation because of a proposal: one
// that waits, one that a person rejected or rolled back, or one that gates refused.
type LeftOut struct {
	Variant  agent.ConfigID `json:"variant"`
	Proposal string         `json:"proposal"`
	Reason   string         `json:"reason"`
}

// EntryLedger describes the allowance of the error control across nights and how much of it
// is used: at most Most entries in any Days days, each at Alpha.
type EntryLedger struct {
	Days  int     `json:"days"`
	Most  int     `json:"most"`
	Used  int     `json:"used"`
	Level float64 `json:"level"`
	Alpha float64 `json:"alpha"`
}
