package confirm

import (
	"evolve/bench/metrics"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Setup configures one night's confirmation of an agent.
type Setup struct {
	// Run is the name of this run.
	Run string
	// Champion is the config against which candidates are measured: the agent's champion
	// or, while a proposal awaits a decision, the variant that it proposes. Evidence
	// against that variant stays valid after an approval.
	Champion agent.ConfigID
	// Reference describes Champion if it is not the agent's champion, and is nil if it is.
	Reference *stats.Reference
	// Resting are other champions whose entries keep their evidence but get no blocks
	// tonight, such as the agent's champion while a proposal waits to replace it.
	Resting []agent.ConfigID
	// Score is the search's estimate of the champion's score, in [0, 1].
	Score float64
	// Holds identifies what tonight's evidence depends on; see [Entry].
	Holds string
	// Spends is the value of Spends in tonight's entries. Others lists the entries made
	// under other names on the same data, which the error control also counts.
	Spends string
	Others []Entry
	// Tasks is the number of holdout tasks, and SearchTasks is the number of search tasks.
	Tasks, SearchTasks int
	// Fixed reports whether a repeat provides no new evidence. Each candidate then gets
	// only one block, and the champion's half of the run's first block serves all
	// candidates.
	Fixed bool
	// Metric is the kind of the metric that the scores measure; it is nil if they measure
	// none.
	Metric *metrics.Kind
	// Evaluations is tonight's limit on evaluations. The evaluations that this run made
	// before it was resumed count towards the limit.
	Evaluations int
	// Most is the maximum number of variants that may enter in one run.
	Most int
	// Keep is the number of entries of the window that must stay free for later nights.
	Keep int
	// Out maps each variant that must not get a block to the reason.
	Out map[agent.ConfigID]string
	// LeftOut is the reason why variants that look better are not among the finalists; it
	// is the zero Cause if there are no such variants.
	LeftOut stats.Cause
	// Room is the number of pairs that the budget of a window allows.
	Room float64
	// Control is the error control, and Level returns the level of the next entry. If Level
	// is nil, the control's level is used.
	Control stats.Control
	Level   func() float64
	// Finalists are the variants recommended by the search, the most promising first.
	Finalists []Finalist
}

// Finalist is the search's estimate for a variant: its gain over the champion on the search
// tasks and the standard deviation of the gain, in score units.
type Finalist struct {
	Variant  agent.ConfigID
	Gain, SD float64
	// Luck is the gain that the luckiest of all variants of the search would show by
	// chance, given how their gains differ between cases; 0 means unknown.
	Luck float64
	// Dear reports whether the variant is expected to break a guard; such a variant is
	// considered only if no other one is ahead.
	Dear bool
	// Measured is the mean difference from the champion on the search tasks that both ran,
	// and Common is the number of those tasks.
	Measured float64
	Common   int
}

func (s *Setup) level() float64 {
	if s.Level != nil {
		return s.Level()
	}
	return s.Control.Alpha()
}

// BlockSize returns the number of evaluations of the next block, after the given number
// of blocks in this run.
func (s *Setup) BlockSize(blocks int) int {
	if s.Fixed && blocks > 0 {
		return s.Tasks // the champion's evaluations already exist
	}
	return 2 * s.Tasks
}

// PairVariance returns the variance of the difference of two runs on one task for a given
// mean score in [0, 1]. A score that is 1 with probability p and otherwise 0 has the
// variance p(1−p); intermediate scores have less.
func PairVariance(score float64) float64 { return 2 * successVariance(score) }

func successVariance(p float64) float64 {
	p = min(1, max(0, p))
	return p * (1 - p)
}
