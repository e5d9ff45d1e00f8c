// Package confirm decides, block by block and night by night, which variants of an agent
// are better than its champion on tasks that no search has seen.
//
// A variant that looks better enters the confirmation ([Entry]); the entries of a month
// are counted, because the error control divides its level among them. An entry gets
// complete blocks: one fresh evaluation of the champion and one of the candidate on every
// holdout task. After each block all of the entry's evidence is judged, earlier nights'
// blocks included. An entry that is decided makes room for the next; an open one goes on
// another night.
//
// The package holds the rule and no mechanism: what stores entries, evaluates a block and
// keeps the budget is a [World]. A night drives it with the archive and the harness,
// package nights with simulated tasks, so that the simulation measures the rule that
// is used.
package confirm
