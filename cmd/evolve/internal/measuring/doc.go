// Package measuring owns the measuring of a target: it compiles Go benchmarks from trees
// that the caller writes out and runs what came of it, or runs a command that measures,
// in the sandbox, every tree at the same place, so that nothing tells one side from
// another. Package gobench reads and judges the results. It writes nothing but into its
// own folder and the build cache that it is given.
package measuring
