// Package beside compares the behaviour of changed functions before and after a patch:
// it calls both versions with the same drawn inputs and finds the first whose outcomes
// differ. It chooses the functions and the seeds of the inputs, writes the source of
// the harness that makes the calls (harness/), and reads and compares the harness's
// reports. It runs nothing and writes no file: the caller compiles and runs the sources
// in a sandbox.
//
// A report is checked, since the code under test could write to it. Each line is sealed
// with a key that is drawn for the comparison and stands in the harness's own code. A
// line that is missing, changed or out of place counts as a difference.
package beside
