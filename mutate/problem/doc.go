// Package problem owns synthetic agent-configuration problems: spaces of mixed
// parameters, tasks of differing difficulty, noisy scores, and an exact true score
// for every config. They are what searches are compared on; nothing here knows
// a searcher.
package problem
