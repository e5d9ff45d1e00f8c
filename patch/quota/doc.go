// Package quota enforces the rate limits on patches: one attempt per agent per hour,
// whatever its result, and three adopted patches a day in total. Its results depend only on
// the ledger's entries and the time, so a restart resets nothing.
package quota
