// Package contest compares searches on the problems of package problem at equal budgets:
// the searcher of package mutate, random search with re-evaluation, successive halving, an
// NSGA-II, and, if they are installed, Optuna and irace. `make bench-search` prints its
// table. It is only a benchmark: no night uses it.
//
// A budget counts evaluations of one config on one task. All contestants start from the
// same default, get the same noise for the same config, task and repeat, and get tasks in
// proportion to their weight. Peers use the best of the settings that were tried (see
// Field). At first they evaluate each config on few tasks, and the default is among their
// first configs. In the end they race their best configs on common tasks; irace does its
// own racing. Recommendations are judged by the true score, which is hidden from the
// contestants.
//
// The constants of the searcher were set on the families of problem.Families. A change to
// the searcher is judged on the families of problem.Yardstick (`make bench-yardstick`): it
// is adopted if it is better by at least 2.5 standard errors on at least 180 fresh problems
// (see Versus), whose seeds are named before they are drawn, and if it is not worse on the
// other families. Two families have their own rules. If problems are priced, a budget of N
// evaluations is N times the default's mean cost, and contestants count their evaluations
// in that unit. If problems have an earlier night, the project's searcher gets the results
// of that night; the peers do not use any.
package contest
