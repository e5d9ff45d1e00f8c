// Package quota owns the rate limits of patches: one attempt per agent and hour,
// whatever became of it, and three adopted patches a day in all. It is a pure
// function of the ledger's entries, so that a restart resets nothing.
package quota
