// Package gotest runs the gates that execute a patched Go module: build, vet, the tests of
// the affected packages and then all of them, with the base's versions of every test laid
// over the candidate, and negative controls: a test of a random name that must fail,
// mutants of each changed function that some test must detect, coverage of the changed
// lines, and a second run under another binary name. Everything runs inside a sandbox,
// from clean exported trees that are always mounted at the same place. The output of a
// tested process alone is never trusted.
package gotest
