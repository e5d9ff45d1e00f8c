package metrics

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"evolve/runtime/text"
)

// mostDecimals is the largest number of decimals of a figure that is not written with an
// exponent.
const mostDecimals = 9

// Decimals returns the number of decimals with which a figure of this size has two
// significant digits, or 0 for sizes of 10 and more.
func Decimals(size float64) int {
	size = math.Abs(size)
	if size == 0 || math.IsInf(size, 0) || math.IsNaN(size) {
		return 0
	}
	return max(0, 1-int(math.Floor(math.Log10(size))))
}

// Figure formats a value with the given number of decimals, and with an exponent if it is
// very small or very large.
func Figure(v float64, decimals int) string {
	form, digits := byte('f'), decimals
	if decimals > mostDecimals || math.Abs(v) >= 1e15 {
		form, digits = 'e', 2
	}
	return strings.ReplaceAll(strconv.FormatFloat(v, form, digits, 64), "-", "−")
}

// Signed formats a value as [Figure] does, with the sign of a difference; 0 has no sign.
func Signed(v float64, decimals int) string {
	s := Figure(v, decimals)
	if v > 0 && strings.ContainsAny(s, "123456789") {
		return "+" + s
	}
	if !strings.ContainsAny(s, "123456789") {
		return strings.TrimPrefix(s, "−")
	}
	return s
}

// percentages are the spellings of the unit per cent.
var percentages = []string{"%", "percent", "per cent", "pct"}

// Percentage reports whether a unit is per cent. Differences of its values are then in
// percentage points, because "−1.6 %" could be a relative change.
func Percentage(unit string) bool { return slices.Contains(percentages, strings.ToLower(unit)) }

// ChangeUnit returns the unit of a difference between two values in the given unit.
func ChangeUnit(unit string) string {
	if Percentage(unit) {
		return "percentage points"
	}
	return unit
}

// WithChangeUnit adds a unit to a figure that is the difference between two values in the
// given unit. The added unit is that of the difference, such as percentage points for
// values in per cent.
func WithChangeUnit(figure, unit string) string {
	if Percentage(unit) && strings.TrimLeft(figure, "+−") == "1" {
		return figure + " percentage point"
	}
	return WithUnit(figure, ChangeUnit(unit))
}

// WithUnit adds a unit to a figure, unless the unit is empty.
func WithUnit(figure, unit string) string {
	if unit == "" {
		return figure
	}
	return figure + " " + text.Visible(unit)
}
