// Package scan owns the reading of a patch's Go source for ways of fooling a test
// gate: code that runs before or around tests, that asks whether it is being
// tested, that reaches past the type system, or that the build reads from
// elsewhere. It parses what a patch adds or changes and runs nothing. Whoever
// wants to cheat can hide from a scan, which reads names and knows no types; it is
// one of several walls.
//
// A finding is fatal only where hardly any honest patch would do the same; all
// others flag a patch for a person. Read over the last commits of restic, Prometheus
// and Hugo, as far as they change Go source and leave existing tests alone (5,924
// commits of the last 6,000 each), 2 had a fatal finding, as they do not parse; 8.0 %
// were flagged, 2.3 % for nothing but helpers of tests, the rest mostly for build
// constraints, new imports of what reaches out, locks that go and questions about the
// machine. The detectors were tuned on the same history, so that elsewhere more is to
// be expected.
package scan
