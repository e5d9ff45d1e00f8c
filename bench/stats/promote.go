package stats

import (
	"math"
)

// Prospect is a variant that may enter the confirmation, or is already in it.
type Prospect struct {
	Variant string
	// Mean and SD are its [Posterior], in score units.
	Mean, SD float64
	// LogE is its evidence, and Pairs the number of pairs behind it; both 0 before its
	// entry.
	LogE, Pairs float64
	// Measured is the mean difference to the champion on the search tasks that both ran,
	// Common their number. They are shown beside the estimate, which is shrunk towards 0.
	Measured float64
	Common   int
	// Reference is the other side of the comparison; nil: the champion.
	Reference *Reference
}

// ProjectedPairs returns the expected number of further pairs until a candidate with a
// true difference of mean is shown to be better: the evidence still missing, plus one for
// the cost of the mixture, at a rate of mean²/(2·variance) per pair (the growth of a bet
// of the best size, Kelly 1956, to second order). variance is that of one pair. It
// returns +Inf when the mean is not above 0 or nothing can be shown at alpha.
func ProjectedPairs(mean, logE, alpha, variance float64) float64 {
	if !(mean > 0) || !(alpha > 0) {
		return math.Inf(1)
	}
	missing := math.Max(0, -math.Log(alpha)-logE+1)
	return missing * 2 * math.Max(variance, leastVariance) / (mean * mean)
}

// Promote chooses the prospect that gets the next blocks: of the prospects whose mean is
// at least one standard deviation above 0 and whose [ProjectedPairs] fit into roomPairs,
// the pairs that the budget of a window allows, the one with the highest mean; of equal
// ones the first. Candidates still open from earlier nights compete with new ones on the
// same terms. index is -1 when none is promoted, and why is then the cause:
// [CauseTooLong] when the best prospect leads by a standard deviation and needs more
// pairs than a window has, [CauseBehind] when none leads by so much, none when there is
// no prospect. projected is the number of further pairs.
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

// ResumedCap returns the cap ([Rule].Cap) of a candidate that was parked after pairs
// pairs and is promoted again with projected further ones: it is parked again after twice
// those.
func ResumedCap(pairs, projected float64) float64 { return pairs/surplus + projected }
