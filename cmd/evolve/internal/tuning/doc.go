// Package tuning owns the nightly tuning of marked constants: for one target it looks,
// with the project's own searcher, for values under which the target's benchmarks do
// better, and makes a patch of the best ones when new runs prove them better. No
// language model takes part.
//
// Packages constants, mutate and gobench know how; package measuring runs the
// benchmarks. This package writes nothing: what it finds is a submission for package
// patching, with its gates.
package tuning
