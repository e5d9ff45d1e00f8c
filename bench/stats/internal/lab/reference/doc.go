// Package reference implements known tests and bounds, with which this project's
// statistics are compared. Only tests and the simulation of many nights use it; no report
// and no decision depends on it.
package reference
