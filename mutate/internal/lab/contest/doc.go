// Package contest compares searches on the problems of package problem at equal budgets: the
// searcher of package mutate with random search with re-evaluation, successive halving, an
// NSGA-II, and Optuna and irace where they are installed. `make bench-search` prints its
// table. It is only a benchmark: no night uses it.
//
// A budget counts evaluations of one config on one task. All contestants start from the same
// default, get the same noise for the same config, task and repeat, and get tasks in
// proportion to their weight. Peers use the best settings of those tried (see Field): few
// tasks a config at first, the default among their first configs, and a final race of their
// best on common tasks; irace races by itself. Recommendations are judged by the true score,
// which is hidden from the contestants.
//
// The constants of the searcher were set on the families of problem.Families. A change is
// judged on those of problem.Yardstick (`make bench-yardstick`): it is kept if it is better
// by at least 2.5 standard errors on at least 180 fresh problems (see Versus), whose seeds
// are named before they are drawn, and is not worse on the other families. Two families have
// rules of their own. Where problems are priced, a budget of N evaluations is N times the
// default's mean cost, and contestants count their evaluations in that unit. Where they have
// an earlier night, the project's searcher gets its results; the peers take none.
package contest
