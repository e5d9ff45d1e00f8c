// Package tuning tunes marked constants at night. For one target, it uses the project's
// own optimizer to search for values with better benchmark results. It makes a patch from
// the best values if new runs confirm them. No language model takes part.
//
// Packages constants, mutate and gobench implement the steps; package measure runs the
// benchmarks. The result is a submission to package review, which applies its gates; this
// package adopts nothing.
package tuning
