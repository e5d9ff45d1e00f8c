// Package nights simulates months of nights, to measure what the confirmation of package
// confirm and the evidence of package stats are worth: how often something is adopted that is
// no better, how soon something that is better is, and how true the figures are that the
// person is shown. It drives the same loop as a real night, with simulated variants and
// tasks in the place of the archive and the harness. Worlds differ in the gain that the
// search can find, in the number of tasks, and in how far a variant's gain differs
// between them; beside the nights of this project stand those of others, from the argmax of a
// noisy score to tests on the holdout. `make bench-stats` prints the table.
package nights
