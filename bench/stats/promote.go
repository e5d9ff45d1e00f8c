package stats

import (
	"math"
)

// Prospect is a variant that may enter the confirmation, or is already in it.
type Prospect struct {
	Variant string
	// Mean and SD are the variant's [Posterior], in score units.
	Mean, SD float64
	// LogE is the variant's evidence, and Pairs is the number of pairs on which it rests;
	// both are 0 until the variant enters the confirmation.
	LogE, Pairs float64
	// Measured is the mean difference from the champion on the search tasks that both ran,
	// and Common is the number of those tasks. Both are shown together with the estimate,
	// which is shrunk towards 0.
	Measured float64
	Common   int
	// Reference is what the variant is compared with; nil means the champion.
	Reference *Reference
}

// ProjectedPairs returns the expected number of further pairs until a candidate whose true
// difference is mean is shown to be better. It divides the evidence still missing, plus one
// for the cost of the mixture, by the growth of evidence per pair, mean²/(2·variance) (the
// growth of a bet of the best size, Kelly 1956, to second order). variance is the variance
// of one pair. It returns +Inf if mean is not above 0 or if nothing can be shown at alpha.
func ProjectedPairs(mean, logE, alpha, variance float64) float64 {
	if !(mean > 0) || !(alpha > 0) {
		return math.Inf(1)
	}
	missing := math.Max(0, -math.Log(alpha)-logE+1)
	return missing * 2 * math.Max(variance, leastVariance) / (mean * mean)
}

// Promote chooses the prospect that gets the next blocks. It considers the prospects whose
// mean is at least one standard deviation above 0 and whose [ProjectedPairs] fit into
// roomPairs, the pairs that the budget of a window allows. Of these it chooses the one with
// the highest mean, or the first if several means are equal. Candidates still open from
// earlier nights compete with new ones on the same terms.
//
// index is -1 if no prospect is promoted, and why is then the cause: [CauseTooLong] if the
// best prospect leads by a standard deviation but needs more pairs than a window has,
// [CauseBehind] if no prospect leads by that much, and the zero Cause if there are no
// prospects. projected is the number of further pairs.
func Promote(prospects []Prospect, alpha, variance, roomPairs float64) (index int, projected float64, why Cause) {
	index = -1
	ahead, nearest := -1, -1 // the best that is ahead by a standard deviation, and the best of all
	for i, p := range prospects {
		if nearest < 0 || p.Mean > prospects[nearest].Mean {
			nearest = i
		}
		if !(p.Mean > 0) || p.Mean < p.SD {
			continue
		}
		if ahead < 0 || p.Mean > prospects[ahead].Mean {
			ahead = i
		}
		need := ProjectedPairs(p.Mean, p.LogE, alpha, variance)
		if need <= roomPairs && (index < 0 || p.Mean > prospects[index].Mean) {
			index, projected = i, need
		}
	}
	switch {
	case index >= 0:
	case ahead >= 0:
		p := prospects[ahead]
		projected = ProjectedPairs(p.Mean, p.LogE, alpha, variance)
		why = p.tooLong(projected, roomPairs)
	case nearest >= 0:
		why = prospects[nearest].behindBy()
	}
	return index, projected, why
}

// ResumedCap returns the cap ([Rule].Cap) of a candidate that was parked after a number
// of pairs (pairs) and is promoted again with a projected number of further pairs
// (projected): it is parked again when it has used more than twice the projected number.
func ResumedCap(pairs, projected float64) float64 { return pairs/surplus + projected }
