// Package reference implements known tests and bounds as references for this project's
// statistics. Only tests and the simulation of many nights use it; no report and no
// decision depends on it.
package reference
