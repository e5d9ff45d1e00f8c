// Package ablation owns the minimisation of a winner: its changed parameters are set
// back in groups, on the search tasks, until what is left is the smallest change that
// is not significantly worse, with the effect that each parameter has by itself
// (spec 1, winner minimisation; spec 7, what changes). It asks and is told like a
// search, and writes nothing.
package ablation
