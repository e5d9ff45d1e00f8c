// Package evidence assembles the measurements of a confirmation from the stored
// evaluations, and recomputes the rulings in stored results.
//
// A nightly run bases its rulings on [Assemble]. [Recompute] does the same and compares the
// result with the stored ruling, so it detects a ruling or evaluations that were altered in
// the archive. It does not detect consistent alterations of both.
package evidence
