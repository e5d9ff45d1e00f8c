// Package e2e contains only tests of the whole program. They build the program's binary
// once and start it as real processes on real workspaces. They kill and interrupt these
// processes, fill their disk, give them wrong answers, and compare the results with those
// of undisturbed runs.
package e2e
