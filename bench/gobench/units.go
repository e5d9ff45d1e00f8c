package gobench

import "golang.org/x/perf/benchunit"

// Direction is the direction in which values of a unit improve.
type Direction int

// Lower and Higher; the zero Direction is unknown, and such units are not compared.
const (
	Lower  Direction = -1
	Higher Direction = 1
)

// Agreed returns the direction of the units that go test itself reports, none of which
// can be negative; the zero Direction for any other.
func Agreed(unit string) Direction {
	switch unit {
	case "sec/op", "B/op", "allocs/op":
		return Lower
	case "B/s":
		return Higher
	}
	return 0
}

// BaseUnit returns benchstat's base form of a unit, as used in a [Key]: "sec/op" for
// ns/op.
func BaseUnit(unit string) string {
	_, base := benchunit.Tidy(1, unit)
	return base
}

// direction returns the direction that the rule declares, else the usual one.
func (r Rule) direction(unit string) Direction {
	if d, declared := r.Directions[unit]; declared {
		return d
	}
	return Agreed(unit)
}
