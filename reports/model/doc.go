// Package model is the view model of the morning report: [Report], which [Build] computes
// from stored records only. The renderings are in reports/render.
//
// The package computes no statistics beyond those of bench/stats, and uses no stored
// counters: counts are made from the evaluation records. It reads no clock, no
// environment and no file, so the same records give the same report; everything that
// depends on time, host or timing is in [Volatile]. schema.md documents its JSON form.
package model
