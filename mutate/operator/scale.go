package operator

import (
	"math"

	"evolve/runtime/agent"
)

// Unit maps a numeric value to [0,1] on the parameter's own scale.
func Unit(p agent.Param, v float64) float64 {
	if p.Max <= p.Min {
		return 0
	}
	u := 0.0
	if p.Log {
		lo := math.Log(p.Min)
		u = (math.Log(v) - lo) / (math.Log(p.Max) - lo)
	} else {
		u = (v/2 - p.Min/2) / (p.Max/2 - p.Min/2) // halved, because the range itself may overflow
	}
	if !(u > 0) { // also true for NaN, which results if the range is too narrow for floats
		return 0
	}
	return math.Min(u, 1)
}

// FromUnit returns the value of a numeric parameter for u in [0,1], rounded to a readable
// precision: a thousandth of the range, or three significant digits on a log scale. If u is
// outside [0,1], it is clamped.
func FromUnit(p agent.Param, u float64) any {
	u = clamp(u, 0, 1)
	var v float64
	if p.Log {
		v = math.Exp((1-u)*math.Log(p.Min) + u*math.Log(p.Max))
	} else {
		v = (1-u)*p.Min + u*p.Max
	}
	if p.Kind == agent.Int {
		return int64(clamp(math.Round(v), p.Min, p.Max))
	}
	v = clamp(tidy(v, step(p, v)), p.Min, p.Max)
	if v == 0 {
		return 0.0 // not negative zero
	}
	return v
}

// step returns the power of ten to which a value is rounded; 0 means no rounding.
func step(p agent.Param, v float64) float64 {
	size := (p.Max - p.Min) / 1000
	if p.Log {
		size = math.Min(math.Abs(v), p.Max-p.Min) / 100
	}
	if !(size > 0) || math.IsInf(size, 1) {
		return 0
	}
	return math.Pow(10, math.Floor(math.Log10(size)))
}

// tidy rounds v to a multiple of a power of ten without rounding artifacts.
func tidy(v, step float64) float64 {
	if step == 0 {
		return v
	}
	if step >= 1 {
		return math.Round(v/step) * step
	}
	inverse := math.Round(1 / step)
	if math.IsInf(v*inverse, 0) || math.IsInf(inverse, 0) {
		return v
	}
	return math.Round(v*inverse) / inverse
}

func clamp(v, least, most float64) float64 { return math.Max(least, math.Min(most, v)) }

func asFloat(v any) (float64, bool) {
	switch n := v.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}
