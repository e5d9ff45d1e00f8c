// Package reference implements known tests and bounds as references for the statistics of
// this project, for tests and for the simulation of many nights. Nothing that is shown or
// decided uses it.
package reference
