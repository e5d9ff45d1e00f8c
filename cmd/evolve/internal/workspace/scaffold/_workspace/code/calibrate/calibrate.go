// Package calibrate turns the raw readings of a sensor into true values.
package calibrate

// Point assigns a true value to a raw reading.
type Point struct{ Raw, True float64 }

// Curve is a calibration curve: points in the order of their raw readings.
type Curve []Point

// At returns the true value for a raw reading, on the line between the neighbouring points.
// Beyond the ends of the curve, the outermost lines are extended. Without points a reading
// is returned unchanged, and with one point it is shifted.
func (c Curve) At(raw float64) float64 {
	switch len(c) {
	case 0:
		return raw
	case 1:
		return raw + c[0].True - c[0].Raw
	}
	i := 1
	for i < len(c)-1 && raw > c[i].Raw {
		i++
	}
	a, b := c[i-1], c[i]
	return a.True + (raw-a.Raw)*(b.True-a.True)/(b.Raw-a.Raw)
}
