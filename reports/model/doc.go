// Package model is the view model of the morning report: [Report], which [Build] computes
// only from stored records. The renderings are in reports/render.
//
// The package computes no statistics beyond those of bench/stats, and uses no stored
// counters: everything is counted in the evaluation records. It reads no clock, no
// environment and no file, so the same records give the same report. Everything that
// depends on time, host or timing is in [Volatile]. schema.md documents the JSON form of
// the report.
package model
