// Package beside compares the behaviour of changed functions before and after a patch: it
// calls both versions with the same randomly drawn inputs and finds the shortest inputs for
// which the outcomes differ. It chooses the functions and the values around which inputs
// are drawn, writes the source of the harness that makes the calls (harness/), and reads
// and compares the harness's reports. It runs nothing and writes no file: the caller
// compiles and runs the sources in a sandbox.
//
// Reports are checked, because the code under test could write to them. Each line is sealed
// with a key that is drawn for the comparison and is part of the harness's own code. A line
// that is missing, changed or out of order counts as a difference.
package beside
