// Package yardstick holds what the statistics of this project are measured
// against: known tests and bounds, for tests and for the simulation of many nights. Nothing
// that is shown or decided comes from here.
package yardstick
