package gobench

import "golang.org/x/perf/benchunit"

// Direction says which values of a unit are better.
type Direction int

// Lower and Higher; the zero Direction is unknown, and such units are not compared.
const (
	Lower  Direction = -1
	Higher Direction = 1
)

// Agreed is the direction of the units that go test reports by itself, none of which
// goes below 0; the zero Direction for any other.
func Agreed(unit string) Direction {
	switch unit {
	case "sec/op", "B/op", "allocs/op":
		return Lower
	case "B/s":
		return Higher
	}
	return 0
}

// BaseUnit is what benchstat makes of a unit, and what a [Key] has: "sec/op" of ns/op.
func BaseUnit(unit string) string {
	_, base := benchunit.Tidy(1, unit)
	return base
}

// direction of a unit: what the rule declares, else the usual one.
func (r Rule) direction(unit string) Direction {
	if d, declared := r.Directions[unit]; declared {
		return d
	}
	return Agreed(unit)
}
