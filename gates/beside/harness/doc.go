// Package harness calls functions with randomly drawn inputs and records the outcome of
// each call. It is never part of the evolve program: its source is compiled into a test
// binary of the package whose functions it calls, once with the code before a patch and
// once with the code after it. It therefore imports only the standard library.
package harness
