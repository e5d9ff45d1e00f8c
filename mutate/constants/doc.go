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
// their values ([Set]), leaving every other byte unchanged. It parses source and runs
// nothing; its input is foreign data, and its size is bounded.
//
// A marker is at the end of the constant's line or in the comment above it, with the
// settings
//
//	min=V max=V   the range, both ends included; the value must lie in it
//	log           a logarithmic scale; min must be above 0
//	step=V        only min, min+V, min+2V, … are tried; with log V is a factor:
//	              min, min·V, min·V², …; the value must be one of them
//	name=N        the parameter's name, where the constant's own is not unique
//
// A marker applies to a constant, in a block or alone, in or outside of a function, whose
// specification has one name and whose value is a literal, with or without a sign, or the
// product of one such literal and one name (5 * time.Second): the search then changes
// only the literal, and the bounds are in that unit. An integer literal has integer
// values unless the declared type is a float; a literal with a point or an exponent keeps
// that form. Other bases and digit groups are kept.
//
// The following are refused, because their meaning is ambiguous or the change could not
// be adopted: variables (code may assign to them), lists of names, values that a
// following constant repeats implicitly, expressions such as 1 << 20 (it is unclear which
// number is meant), fractions of a time unit (the product may not be a whole number of
// nanoseconds), hexadecimal floats, characters, integers beyond 2⁵³, ranges that the
// declared type cannot hold, tests and generated files.
package constants
