package ablation

import "math"

// The model predicts similar scores for similar configs. If a config is good only with all of
// its changes together, the model therefore predicts no effect of any one of them. For an agent
// with randomness the model alone reverts nothing: what is left is compared with the winner at
// fresh spots, and replaces it unless the comparison shows too large a loss. [Options.ByModel]
// is the exception.

const (
	// lastPairs is the number of spots that the last comparison with the winner is given where
	// there are too few for comparisons without each remaining change.
	lastPairs = 16
	// tooLarge is the probability at which a measured loss counts as larger than allowed.
	tooLarge = .8
)

// held returns the choice if a comparison with the winner shows no large loss of it, or else the
// last earlier choice of which that is true, or else the winner without reversals.
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
