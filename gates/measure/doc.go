// Package measure measures a target. It compiles Go benchmarks from trees that the caller
// provides and runs them, or runs a measuring command. Everything runs in the sandbox, with
// every tree at the same path, so that the code cannot determine which side it runs on.
// Package gobench parses and judges the results. The package writes only to its own folder
// and to the build cache that it is given.
package measure
