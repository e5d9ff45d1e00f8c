// Package problem implements synthetic agent-configuration problems: spaces of mixed
// parameters, tasks of differing difficulty, noisy scores, and an exact true score for
// every config. Searches are compared on them; the package does not depend on any
// searcher.
package problem
