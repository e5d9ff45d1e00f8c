// Package scan owns the reading of a patch's Go source for ways of fooling a test
// gate: code that runs before or around tests, that asks whether it is being
// tested, that reaches past the type system, or that the build reads from
// elsewhere. It parses what a patch adds or changes and runs nothing. Whoever
// wants to cheat can hide from a scan, which reads names and knows no types; it is
// one of several walls.
//
// A finding is fatal only where hardly any honest patch would do the same; all
// others flag a patch for a person. Read over the last 6,000 commits each of restic,
// Prometheus and Hugo, as far as they change Go source and leave existing tests
// alone (9,012 commits), 8 had a fatal finding, 7 of them because they do not parse;
// 5.3 % were flagged (8.1 %, 3.7 % and 3.6 %), most of them for build constraints,
// for os.Exit in a library and for helpers of tests. The detectors were tuned on much
// of the same history, so that elsewhere more is to be expected.
package scan
