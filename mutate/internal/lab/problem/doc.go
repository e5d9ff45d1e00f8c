// Package problem implements synthetic agent-configuration problems: spaces of mixed
// parameters, tasks of differing difficulty, noisy scores, and an exact true score for
// every config. They are used to compare searches; the package does not depend on any
// searcher.
package problem
