package confirm

import (
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Setup is what one night's confirmation of an agent goes by.
type Setup struct {
	// Run is the name of this run.
	Run string
	// Champion is what candidates are measured against: the agent's champion or, while a
	// proposal awaits a person, the variant that it proposes. Evidence against that is
	// what the night after an approval would gather, and stays valid after one.
	Champion agent.ConfigID
	// Reference names what that is where it is not the agent's champion; nil: it is.
	Reference *stats.Reference
	// Resting are other champions whose entries keep their evidence and get no blocks
	// tonight: the agent's champion while something waits to replace it.
	Resting []agent.ConfigID
	// Score is the champion's, as the search estimates it, in [0, 1].
	Score float64
	// Holds names what evidence is about tonight; see [Entry].
	Holds string
	// Tasks counts the holdout tasks, SearchTasks those that the search had.
	Tasks, SearchTasks int
	// Fixed reports whether a repeat is no new evidence: a block for each candidate, and the
	// champion's part of it made once for all.
	Fixed bool
	// Evaluations is the most that may be made tonight, this run's earlier ones included.
	Evaluations int
	// Most is the number of variants that may enter in one run.
	Most int
	// Keep is the number of entries of the window that must stay free for later nights.
	Keep int
	// Out says why variants may not get a block; absent for those that may.
	Out map[agent.ConfigID]string
	// LeftOut says why variants that look better are not among the finalists; none when there
	// are none.
	LeftOut stats.Cause
	// Room is the number of pairs that the confirmations of a window can pay.
	Room float64
	// Control is the error control, Level the level of the next entry; nil: the control's.
	Control stats.Control
	Level   func() float64
	// Finalists are the variants that the search found, the most promising first.
	Finalists []Finalist
}

// Finalist is what the search says of a variant: its gain over the champion on the search
// tasks and the standard deviation of that, in score units.
type Finalist struct {
	Variant  agent.ConfigID
	Gain, SD float64
	// Dear reports whether it is expected to break a guard: its turn comes when no other is ahead.
	Dear bool
	// Measured is the mean difference to the champion on the search tasks that both ran, Common
	// their number.
	Measured float64
	Common   int
}

func (s *Setup) level() float64 {
	if s.Level != nil {
		return s.Level()
	}
	return s.Control.Alpha()
}

// BlockSize is the number of evaluations of a block, after so many blocks of this run.
func (s *Setup) BlockSize(blocks int) int {
	if s.Fixed && blocks > 0 {
		return s.Tasks // the champion's are there
	}
	return 2 * s.Tasks
}

// PairVariance returns the variance of the difference of two runs on one task where the mean
// score is given, in [0, 1]. A score that is 1 with chance p and else 0 has the variance p(1−p);
// scores between have less.
func PairVariance(score float64) float64 { return 2 * successVariance(score) }

func successVariance(p float64) float64 {
	p = min(1, max(0, p))
	return p * (1 - p)
}
