package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// AssumedNight is the standard deviation, in score units, of what all differences of one night are
	// assumed to share: 2 points, a tenth of a logit. One night cannot show it.
	AssumedNight = 0.02
	// assumedNights is how many further nights the assumption counts as much as.
	assumedNights = 4
)

// drift is what a night does to all differences in it.
type drift struct {
	// nights is their number, worth that of equal ones that they are worth (Kish 1965).
	nights int
	worth  float64
	// variance of what a night's differences share; at least that assumed.
	variance float64
}

// newDrift takes the nights of gathered pairs: the variance of their mean differences less what chance
// (within, of one pair) adds, averaged with the assumption, which counts as four nights, and not
// below it. All nights have the same tasks, so that how these differ cancels out.
func newDrift(clean []Pair, within float64) drift {
	sums, counts := map[int]float64{}, map[int]float64{}
	var order []int
	for _, p := range clean {
		for r := range p.A {
			night := p.night(r)
			if night == anyNight {
				continue
			}
			if counts[night] == 0 {
				order = append(order, night)
			}
			counts[night]++
			sums[night] += p.B[r] - p.A[r]
		}
	}
	d := drift{nights: len(order), worth: 1, variance: AssumedNight * AssumedNight}
	if len(order) < 2 {
		return d
	}
	var total, squares, mean float64
	for _, k := range order {
		total += counts[k]
		squares += counts[k] * counts[k]
		mean += sums[k]
	}
	mean /= total
	d.worth = total * total / squares
	var spread float64
	for _, k := range order {
		apart := sums[k]/counts[k] - mean
		spread += apart*apart - within/counts[k]*(1-counts[k]/total)
	}
	free := float64(len(order) - 1)
	d.variance = math.Max(d.variance, (assumedNights*d.variance+spread)/(assumedNights+free))
	return d
}

// error is the error of these nights for all nights at alpha.
func (d drift) error(alpha float64) float64 {
	if d.variance == 0 {
		return 0
	}
	return distuv.UnitNormal.Quantile(1-alpha) * math.Sqrt(d.variance/d.worth)
}
