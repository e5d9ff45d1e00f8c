package stats

import (
	"fmt"
	"math"
)

// points formats a difference in score units as points of a hundred.
func points(d float64) string { return fmt.Sprintf("%.1f", 100*d) }

func signed(d float64) string { return fmt.Sprintf("%+.1f", 100*d) }

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func short(id string) string { return id[:min(8, len(id))] }

// morePairs formats a projected number of further pairs to two digits, rounded up.
func morePairs(n float64) string {
	if !(n < 1e9) {
		return "more pairs than could ever be run"
	}
	if n > 100 {
		scale := math.Pow(10, math.Floor(math.Log10(n))-1)
		n = math.Ceil(n/scale) * scale
	}
	return plural(int(math.Ceil(n)), "more pair")
}
