// Package gotest runs the gates that execute a patched Go module: build, vet, the tests of
// the affected packages and then all tests, with the base's version of every test laid over
// the candidate. It also runs negative controls: a test with a random name that must fail,
// mutants of each changed function that some test must detect, coverage of the changed
// lines, and a second run under another binary name. Everything runs inside a sandbox, from
// clean exported trees that are always mounted at the same path. The output of a tested
// process is never trusted on its own.
package gotest
