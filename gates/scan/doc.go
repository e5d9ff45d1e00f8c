// Package scan reads a patch's Go source for ways of deceiving a test gate: code that runs
// before or around tests, that checks whether it is being tested, that bypasses the type
// system, or that the build reads from elsewhere. It parses what a patch adds or changes
// and runs nothing. A determined author can hide from a scan, which reads names and has no
// type information; it is one of several checks.
//
// A finding is fatal only where hardly any honest patch would do the same; all others flag
// a patch for a person. Read over the last commits of restic, Prometheus and Hugo, as far
// as they change Go source and leave existing tests alone (5,924 commits of the last 6,000
// each), 2 had a fatal finding, as they do not parse; 8.0 % were flagged, 2.3 % only for
// helpers of tests, the rest mostly for build constraints, imports with access outside the
// process, removed locks and uses of data about the machine. The detectors were tuned on
// the same history, so other histories may have more findings.
package scan
