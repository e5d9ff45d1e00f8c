// Package harness calls functions with drawn inputs and records the outcome of each
// call. It is never part of the program: its source is compiled into a test binary of
// the package whose functions it calls, once with the code before a patch and once with
// the code after it. So it imports only the standard library.
package harness
