package stats

import (
	"fmt"
	"math"
)

// Prospect is a variant that may go into the confirmation, or is already in it.
type Prospect struct {
	Variant string
	// Mean and SD are its [Posterior], in score units.
	Mean, SD float64
	// LogE is the evidence it has, and Pairs what that took; both 0 before its entry.
	LogE, Pairs float64
}

// ProjectedPairs is the number of further pairs after which a candidate with a
// true difference of mean is expected to be shown better: the evidence still missing, plus one
// for the mixture's price, at a rate of mean²/(2·variance) a pair (the growth of a
// bet of the best size, Kelly 1956, to second order). variance is that of one pair. +Inf when the
// mean is not above 0 or nothing can be shown at alpha.
func ProjectedPairs(mean, logE, alpha, variance float64) float64 {
	if !(mean > 0) || !(alpha > 0) {
		return math.Inf(1)
	}
	missing := math.Max(0, -math.Log(alpha)-logE+1)
	return missing * 2 * math.Max(variance, leastVariance) / (mean * mean)
}

// Promote chooses whom the next blocks go to: of the prospects whose mean is at
// least one standard deviation above 0 and whose [ProjectedPairs] fit into
// roomPairs, the pairs that the confirmations of a window can pay, the one with the highest
// mean; of equal ones the first. Candidates still open from earlier nights compete
// with new ones on the same terms. reason says why in words, without the variant's
// name. index is -1 when nobody is promoted: with projected 0 nobody is ahead, above 0
// somebody is whom a window cannot show; projected counts the further pairs.
func Promote(prospects []Prospect, alpha, variance, roomPairs float64) (index int, projected float64, reason string) {
	index = -1
	ahead, nearest := -1, -1 // the best that is ahead by a standard deviation, and the best at all
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
		p := prospects[index]
		reason = fmt.Sprintf("ahead by %s points (standard deviation %s), about %s would show it", signed(p.Mean), points(p.SD), morePairs(projected))
		if p.Pairs > 0 {
			reason += fmt.Sprintf(" after the %.0f so far", p.Pairs)
		}
	case ahead >= 0:
		p := prospects[ahead]
		projected = ProjectedPairs(p.Mean, p.LogE, alpha, variance)
		reason = fmt.Sprintf("the best is ahead by %s points, which would take about %s to show, and a month's confirmations can pay %.0f",
			signed(p.Mean), morePairs(projected), math.Max(0, roomPairs))
	case nearest >= 0:
		p := prospects[nearest]
		reason = fmt.Sprintf("no variant is ahead of the champion by a standard deviation: the best by %s points (standard deviation %s)", signed(p.Mean), points(p.SD))
	default:
		reason = "there is no variant to confirm"
	}
	return index, projected, reason
}

// ResumedCap is the cap ([Rule].Cap) of a candidate that was parked after so many pairs and is
// promoted again with so many further ones projected: it is parked again after twice
// those.
func ResumedCap(pairs, projected float64) float64 { return pairs/surplus + projected }
