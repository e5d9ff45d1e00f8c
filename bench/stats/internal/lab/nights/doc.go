// Package nights simulates months of nights, to measure the confirmation of package confirm
// and the evidence of package stats: the rate at which variants that are no better are
// adopted, the time until a better one is adopted, and the accuracy of the reported
// figures. It drives the same loop as a real night, with simulated variants and tasks
// instead of the archive and the harness. Worlds differ in the gain that the search can
// find, in the number of tasks, and in how much a variant's gain differs between tasks.
// Other policies are compared, from the argmax of a noisy score to tests on the holdout.
// `make bench-stats` prints the table.
package nights
