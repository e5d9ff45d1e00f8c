// Package calibrate turns what a sensor reads into what there is.
package calibrate

// Point says what a raw reading stands for.
type Point struct{ Raw, True float64 }

// Curve is a calibration curve: points in the order of their raw readings.
type Curve []Point

// At is the true value of a raw reading, on the line between the points beside it.
// Beyond the ends the outermost lines go on. Without points a reading is taken as it
// is, and with one it is shifted.
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
