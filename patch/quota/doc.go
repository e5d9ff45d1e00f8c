// Package quota enforces the rate limits of patches: one attempt per agent and hour,
// whatever its result, and three adopted patches a day in total. It is a pure function of
// the ledger's entries, so that a restart resets nothing.
package quota
