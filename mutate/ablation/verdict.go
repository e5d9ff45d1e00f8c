package ablation

import (
	"math"

	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// A smaller config takes the winner's place when three things hold on the same tasks and
// repeats:
//
//   - it is not significantly worse: the 95 % interval of its difference to the winner is
//     not wholly below 0;
//   - by the estimate it loses at most a tenth of the gain, so that changes that matter do
//     not go one after the other while each is too small to see; and
//   - it is proven, one-sided at .05, to keep more than half of the gain over the champion.
//
// Not being significantly worse is no proof: with few evaluations nothing is. The third
// is the test of non-inferiority that preserves half of an effect, with the effect
// estimated beside it (Hauck and Anderson 1999): small − (winner + champion)/2 > 0, task by
// task. Where evidence is thin it fails, and the winner stays as it is. It also means
// that what is left is better than the champion on this evidence. What the search knows of
// the winner is used as it is, and as a winner has had luck, it errs towards keeping more.
const (
	lost     = 0.1
	oneSided = 0.90 // the two-sided level whose lower bound is one-sided at .05
	twoSided = 0.95
)

// ruling is what is said of a smaller config.
type ruling int

const (
	undecided ruling = iota
	acceptable
	refused
)

// rule says whether a smaller config may stand for the winner, on what was seen at spots.
// Last says that no more will be seen; before that it can only be refused, so that
// looking early favours nothing.
func (a *Ablation) rule(small agent.ConfigID, spots []spot, last bool) ruling {
	loss := stats.Compare(a.evidence.pairs(a.winnerID, "", small, spots), twoSided)
	proof := stats.Compare(a.evidence.pairs(a.winnerID, a.championID, small, spots), oneSided)
	allowed := lost * math.Max(0, a.gain(spots))
	switch {
	case !last && loss.Tasks > 0 && loss.Hi >= -allowed:
		return undecided
	case last && loss.Hi >= 0 && loss.Difference >= -allowed && proof.Lo > 0:
		return acceptable
	}
	return refused
}

// gain of the winner over the champion, as far as both were seen at the spots.
func (a *Ablation) gain(spots []spot) float64 {
	return stats.Compare(a.evidence.pairs(a.championID, "", a.winnerID, spots), twoSided).Difference
}

// ruleExactly is the rule for an agent without chance, where one evaluation is the truth
// about its task: the loss on all search tasks is simply known, and nothing may be lost. It
// is decided as soon as what is not seen yet can no longer change it.
func (a *Ablation) ruleExactly(small agent.ConfigID, spots []spot, last bool) ruling {
	// Weighted sums over the tasks; worst and best bound what is still to come of the loss.
	var loss, gain, worst, best float64
	for _, at := range spots {
		w, ok := a.evidence.score(a.winnerID, at)
		c, also := a.evidence.score(a.championID, at)
		if !ok || !also {
			continue // missing data is left out on all sides
		}
		weight := weight(a.tasks[at.task])
		gain += weight * (w - c)
		s, seen := a.evidence.score(small, at)
		switch {
		case seen:
			loss += weight * (w - s)
		case last || a.evidence.has(small, at):
		default:
			worst += weight * w
			best += weight * (w - 1)
		}
	}
	switch {
	case gain <= rounding, loss+best > rounding:
		return refused
	case loss+worst <= rounding:
		return acceptable
	}
	return undecided
}

// rounding absorbs the last digits of sums of decimal scores.
const rounding = 1e-9
