// Package confirm decides, block by block and night by night, which variants of an agent
// are better than its champion on tasks that no search has seen.
//
// A variant that looks better enters the confirmation ([Entry]). The entries of a month are
// counted, because the error control divides its level among them. An entry gets complete
// blocks: one fresh evaluation of the champion and one of the candidate on every holdout
// task. After each block all evidence of the entry is judged, including blocks of earlier
// nights. When an entry is decided, the next one starts; an open entry continues on another
// night.
//
// The package implements only the rule; a [World] stores entries, evaluates blocks and
// keeps the budget. A night provides the archive and the harness, and package nights
// provides simulated tasks, so the simulation measures the rule that is used.
package confirm
