// Package ablation owns the minimisation of a winner: what it changed is set back in
// groups, on the search tasks, until what is left is the smallest change found that is not
// significantly worse and keeps most of the gain, with the effect that each parameter has
// by itself (spec 1, winner minimisation; spec 7, what changes). It asks and is told
// like a search, and writes nothing.
package ablation
