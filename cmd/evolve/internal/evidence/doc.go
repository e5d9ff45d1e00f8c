// Package evidence assembles what a confirmation has measured of a variant from the stored
// evaluations, and computes the rulings of stored results again.
//
// A night judges by [Assemble], and so does [Recompute], which compares what it finds with
// the stored ruling: a verdict that was altered in the archive, and evaluations that were
// altered below an honest verdict, contradict each other. Who alters both alike is not found.
package evidence
