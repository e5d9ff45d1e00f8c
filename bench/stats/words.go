package stats

import (
	"math"
	"strconv"

	"evolve/runtime/text"
)

func short(id string) string { return id[:min(8, len(id))] }

// morePairs formats a projected number of further pairs, rounded up; numbers above 100 are
// rounded up to two significant digits.
func morePairs(n float64) string {
	if !(n < 1e9) {
		return "more pairs than could ever be run"
	}
	if n > 100 {
		scale := math.Pow(10, math.Floor(math.Log10(n))-1)
		n = math.Ceil(n/scale) * scale
	}
	return text.Count(int(math.Ceil(n)), "more pair")
}

// twoDigits formats an amount to two significant digits.
func twoDigits(x float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 2, 64), 64)
	if err != nil {
		return text.Unknown
	}
	return text.Short(rounded)
}
