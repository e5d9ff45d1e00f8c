// Package contest compares searches on the problems of package problem at equal
// budgets: the searcher of package mutate beside random search with re-evaluation,
// successive halving, an NSGA-II, and Optuna and irace where they are installed.
// `make bench-search` prints its table. It is a benchmark and nothing that a night
// uses.
package contest
