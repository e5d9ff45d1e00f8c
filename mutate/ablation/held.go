package ablation

import "math"

// The model predicts similar scores for similar configs. If a config is good only with
// all of its changes together, the model therefore predicts that no single change has an
// effect. So for an agent with randomness, the model alone does not decide what is
// reverted: the reduced config is compared with the winner at fresh spots, and replaces
// it unless the comparison shows too large a loss. The exception is [Options.ByModel].

const (
	// lastPairs is the number of spots at which the reduced config is finally compared with
	// the winner, if the budget is too small to measure the effect of each remaining
	// change.
	lastPairs = 16
	// tooLarge is the probability at or above which a measured loss counts as larger than
	// allowed.
	tooLarge = .8
)

// held returns the choice if a comparison with the winner showed no loss larger than
// allowed. Otherwise it returns the latest earlier choice for which this holds or, if there
// is none, the winner without reversals.
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

// keeps reports whether a choice was compared with the winner and no loss larger than
// allowed was shown.
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
