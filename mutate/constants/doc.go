// Package constants implements numeric constants in Go source that are marked for the
// search:
//
//	const cacheSize = 64 //evolve:param min=8 max=4096 log
//
//	// flushAfter is how long a write may wait.
//	//
//	//evolve:param min=1 max=60
//	const flushAfter time.Duration = 5 * time.Second
//
// It finds them ([Find]), describes them as a space of parameters ([Space]), and replaces
// their values ([Set]), leaving every other byte unchanged. It parses the source and runs
// no code. Its input is untrusted data, whose size is limited.
//
// A marker is at the end of the constant's line or in the comment above it, with these
// settings:
//
//	min=V max=V   the range, both ends inclusive; the constant's value must be in it
//	log           a logarithmic scale; min must be above 0
//	step=V        only min, min+V, min+2V, … are tried; with log V is a factor:
//	              min, min·V, min·V², …; the constant's value must be one of them
//	name=N        the parameter's name, if the constant's own name is not unique
//
// The constant may be in a const block or alone, and inside or outside a function. Its
// specification must have only one name. Its value must be a literal, with or without a
// sign, or the product of one such literal and one name (5 * time.Second). In a product,
// the search changes only the literal, and the bounds are in the unit that the name stands
// for. An integer literal has integer values unless the declared type is a float; a literal
// with a point or an exponent keeps that form. The base of an integer literal and the
// grouping of digits are preserved.
//
// The following are refused, because their meaning is ambiguous or the change could not be
// adopted: variables (code may assign to them), lists of names, values that a following
// constant repeats implicitly, expressions such as 1 << 20 (it is unclear which number is
// meant), fractions of a time unit (the product may not be a whole number of nanoseconds),
// hexadecimal floats, characters, integers beyond 2⁵³, ranges that the declared type cannot
// hold, tests and generated files.
package constants
