// Package evidence assembles the measurements of a confirmation from the stored
// evaluations, and recomputes the rulings of stored results.
//
// A nightly run judges by [Assemble]. [Recompute] does the same and compares the result
// with the stored ruling, so that it finds a ruling or evaluations that were altered in
// the archive. It does not find consistent alterations of both.
package evidence
