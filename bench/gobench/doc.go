// Package gobench owns what Go benchmarks say: it reads the output of go test
// -bench and compares two sets of runs with benchstat's statistics (Mann-Whitney U
// over repeated runs, medians with their confidence intervals). It runs nothing.
package gobench
