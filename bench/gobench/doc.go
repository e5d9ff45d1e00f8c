// Package gobench owns what Go benchmarks say: it reads the output of go test -bench
// ([Read]), lays out the order of the runs ([Plan]), compares a candidate with its base
// by benchstat's statistics ([Compare]) and scores a run for a search ([Yardstick]). It
// runs nothing and writes nothing.
//
// The unit of evidence is the run: one process, start to end. Several results of one
// benchmark in one run share its heap, its layout and its minute, so they count once,
// with their median.
//
// The measured code also prints the results. What is read is therefore data of
// unproven origin: that nothing was forged is for others to make sure of (the tests'
// canary, the scan). Here nothing printed can change how results are judged: directions
// of units come from the caller, and a benchmark that is missing, or reported more or
// less often than by the base, voids the comparison.
package gobench
