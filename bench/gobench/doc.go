// Package gobench processes Go benchmarks: it reads the output of go test -bench ([Read]),
// plans the order of the runs ([Plan]), compares a candidate with its base by benchstat's
// statistics ([Compare]) and scores a run for a search ([Reference]). It runs nothing and
// writes nothing.
//
// The unit of evidence is the run: one process, from start to end. Several results of one
// benchmark in one run share the same heap, memory layout and load on the machine, so they
// count once, by their median.
//
// The measured code also prints the results, so the output is untrusted. Detecting forged
// results is left to other checks (the tests' canary, the scan), but no output can change
// how results are judged: the directions of units come from the caller, and a candidate is
// refused if it omits a benchmark of the base or reports it more or less often than the
// base does.
package gobench
