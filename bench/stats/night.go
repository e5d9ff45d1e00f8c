package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// AssumedNight is the assumed standard deviation, in score units, of the shift that all
	// differences of one night share: 2 points, a tenth of a logit. It cannot be measured
	// in a single night.
	AssumedNight = 0.02
	// assumedNights is the weight of the assumption, as a number of nights, when it is
	// averaged with the measured nights.
	assumedNights = 4
)

// drift estimates the shift that all differences of a night share.
type drift struct {
	// nights is the number of nights, and worth is their effective number (Kish 1965).
	nights int
	worth  float64
	// variance is the variance of the shift; it is at least the assumed one.
	variance float64
}

// newDrift estimates the drift from the nights of normalized pairs. The variance of the
// nights' mean differences, minus the part due to chance (within is the variance of one
// pair), is averaged with the assumed variance, which counts as four nights. The result is
// at least the assumed variance. All nights have the same tasks, so differences between
// tasks cancel out.
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

// error returns the error bound at alpha for the mean of these nights as an estimate of the
// mean of all nights.
func (d drift) error(alpha float64) float64 {
	if d.variance == 0 {
		return 0
	}
	return distuv.UnitNormal.Quantile(1-alpha) * math.Sqrt(d.variance/d.worth)
}
