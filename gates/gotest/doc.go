// Package gotest owns the gates that run a patched Go module: build, vet, the tests
// of the affected packages and then all of them, with the base's versions of every
// test laid over the candidate, and the negative controls that make a pass mean
// something: a test of a random name that must fail, mutants of each changed
// function that must be noticed, coverage of the changed lines, and a second run
// under another binary name. Everything runs inside a sandbox, from clean exported
// trees that are always mounted at the same place. Nothing that a tested process
// prints is believed by itself.
package gotest
