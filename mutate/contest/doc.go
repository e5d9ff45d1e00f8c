// Package contest compares searches on the problems of package problem at equal
// budgets: the searcher of package mutate beside random search with re-evaluation,
// successive halving, an NSGA-II, and Optuna and irace where they are installed.
// `make bench-search` prints its table. It is a benchmark and nothing that a night
// uses.
//
// A budget counts evaluations of one config on one task, whichever searcher spends it. All
// contestants start from the same default, draw the same luck at the same config, task
// and repeat, and see tasks in proportion to their weight. Peers are in the set-up that
// did best of those tried (see Field): few tasks a config at first, the default among
// their first configs, and a final race of their best on common tasks; irace races by
// itself. What a contestant recommends is judged by the true score, which none of them
// sees.
package contest
