package gobench

import "golang.org/x/perf/benchunit"

// Direction is the direction in which values of a unit improve.
type Direction int

// Lower and Higher are the known directions. The zero Direction means that the direction is
// unknown; such units are not compared.
const (
	Lower  Direction = -1
	Higher Direction = 1
)

// Agreed returns the direction of a unit if go test itself reports that unit and its
// values cannot be negative. For any other unit it returns the zero Direction.
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

// direction returns the direction that the rule declares for a unit, or else that of
// [Agreed].
func (r Rule) direction(unit string) Direction {
	if d, declared := r.Directions[unit]; declared {
		return d
	}
	return Agreed(unit)
}
