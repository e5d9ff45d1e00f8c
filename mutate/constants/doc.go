// Package constants owns numeric constants in Go source that are marked for the
// search:
//
//	const cacheSize = 64 //evolve:param min=8 max=4096
//
// It finds them, describes them as a space of parameters, and writes other values
// in, leaving every other byte as it is. It parses source and runs nothing.
package constants
