// Package scan owns the reading of a patch's Go source for ways of fooling a test
// gate: code that runs before or around tests, that asks whether it is being
// tested, that reaches past the type system, or that the build reads from
// elsewhere. It parses what a patch adds or changes and runs nothing. Whoever
// wants to cheat can hide from a scan; it is one of several walls.
package scan
