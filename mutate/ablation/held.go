package ablation

import "math"

// The model expects of a config what it expects of its neighbours, so that it takes the
// changes of a config that is good only as a whole for idle. For an agent with randomness
// nothing is reverted by the model alone, therefore: what is left is compared with the winner
// at fresh spots, and it takes the winner's place unless that shows too large a loss.
// [Options.ByModel] is the exception.

const (
	// lastPairs is the number of spots that the last comparison with the winner is given where
	// there are too few for comparisons without each remaining change.
	lastPairs = 16
	// tooLarge is the probability at which a measured loss counts as larger than allowed.
	tooLarge = .8
)

// held returns the choice, or the last earlier one, that keeps the winner's gain by the
// measurements; the winner as a whole if none does.
func (a *Ablation) held() choice {
	if a.exact || a.hunks || a.choice.id == a.winnerID || a.byModel && len(a.bases) == 0 || a.keeps(a.choice) {
		return a.choice
	}
	for i := len(a.bases) - 1; i >= 0; i-- {
		if c := a.bases[i].choice; c.id != a.winnerID && a.keeps(c) {
			return c
		}
	}
	c := a.choice
	c.back, c.config, c.id, c.loss = set{}, a.winner, a.winnerID, Posterior{}
	return c
}

// keeps reports whether a choice was compared with the winner, and has no loss that is shown
// to be larger than allowed.
func (a *Ablation) keeps(c choice) bool {
	b, _, ok := a.between(c.id, a.winnerID)
	if !ok {
		return false
	}
	over := -b.Mean - math.Max(leastLoss, slight*c.gain.Mean)
	sd := (b.Hi - b.Lo) / 2 / intervalSDs
	if sd <= rounding {
		return over <= rounding
	}
	return .5*math.Erfc(-over/sd/math.Sqrt2) < tooLarge
}

// intervalSDs is half the width of a 95 % interval, in standard deviations.
const intervalSDs = 1.96
