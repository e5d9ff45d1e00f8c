package gobench

// Direction says which values of a unit are better.
type Direction int

// Lower and Higher; the zero Direction is unknown, and such units are not compared.
const (
	Lower  Direction = -1
	Higher Direction = 1
)

// direction of a unit: what the rule declares, else what everybody agrees on.
func (r Rule) direction(unit string) Direction {
	if d, declared := r.Directions[unit]; declared {
		return d
	}
	switch unit {
	case "sec/op", "B/op", "allocs/op":
		return Lower
	case "B/s":
		return Higher
	}
	return 0
}
