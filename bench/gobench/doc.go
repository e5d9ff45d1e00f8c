// Package gobench processes Go benchmarks: it reads the output of go test -bench
// ([Read]), plans the order of the runs ([Plan]), compares a candidate with its base by
// benchstat's statistics ([Compare]) and scores a run for a search ([Reference]). It runs
// nothing and writes nothing.
//
// The unit of evidence is the run: one process, start to end. Several results of one
// benchmark in one run share its heap, its layout and its minute, so they count once, by
// their median.
//
// The measured code also prints the results, so the output is untrusted. Detecting forged
// results is left to others (the tests' canary, the scan). No output can change how
// results are judged: directions of units come from the caller, and a candidate that
// reports a benchmark of the base not at all, or more or less often, is refused.
package gobench
