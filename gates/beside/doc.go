// Package beside compares the behaviour of changed functions before and after a patch:
// it calls both versions with the same drawn inputs and finds the first whose outcomes
// differ. It owns the choice of functions, the seeds of the inputs, the source of the
// harness that makes the calls (harness/), and the reading and comparing of its reports.
// It runs nothing and writes no file: the caller compiles and runs what it gives, in a
// sandbox.
//
// A report is not believed by its words alone. Each line is sealed with a key that is
// drawn for the comparison and stands in the harness's own code; a line that is missing,
// changed or out of place counts as a difference.
package beside
