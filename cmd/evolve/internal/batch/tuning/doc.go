// Package tuning tunes marked constants at night: for one target it searches, with the
// project's own optimizer, for values with better benchmark results, and makes a patch of
// the best ones if new runs confirm them. No language model takes part.
//
// Packages constants, mutate and gobench implement the steps; package measure runs the
// benchmarks. The result is a submission for package review, with its gates; this package
// adopts nothing.
package tuning
