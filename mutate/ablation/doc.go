// Package ablation owns making a finalist small: what it changed without a shown effect is
// set back, by all that the search knows and by comparisons on the search tasks, until each
// change that is left helps, with the effect that each has by itself (spec 1, winner
// minimisation; spec 7, what changes). It asks and is told like a search, and writes nothing.
package ablation
