// Package constants owns numeric constants in Go source that are marked for the
// search:
//
//	const cacheSize = 64 //evolve:param min=8 max=4096 log
//
//	// flushAfter is how long a write may wait.
//	//
//	//evolve:param min=1 max=60
//	const flushAfter time.Duration = 5 * time.Second
//
// It finds them ([Find]), describes them as a space of parameters ([Space]), and writes
// other values in ([Set]), leaving every other byte as it is. It parses source and runs
// nothing; what it is given is foreign data, and its size is bounded.
//
// A mark stands at the end of the constant's line or in the comment above it, and says
//
//	min=V max=V   the range, both ends included; the value must lie in it
//	log           that the constant acts on a logarithmic scale; min must be above 0
//	step=V        that only min, min+V, min+2V, … are tried; with log V is a factor:
//	              min, min·V, min·V², …; the value must be one of them
//	name=N        the parameter's name, where the constant's own is not unique
//
// What may be marked is a constant, in a block or alone, in or outside a function,
// that is alone in its line's specification and whose value is a literal, with or
// without a sign, or the product of one such literal and one name (5 * time.Second):
// then the literal alone is searched, and the bounds count in that unit. A whole
// literal is searched in whole numbers unless the declared type is a float; a literal
// with a point or an exponent stays one. Other bases and digit groups are kept.
//
// Refused, because it would be guesswork or because the change could not be adopted:
// variables (code may assign to them, so that the literal is not what runs), lists
// of names, values that a following constant repeats implicitly, expressions such as
// 1 << 20 (which number is meant?), fractions of a time unit (the product may be no
// whole number of nanoseconds), hexadecimal floats, characters, whole numbers beyond
// 2⁵³, ranges that the declared type cannot hold, tests and generated files.
package constants
