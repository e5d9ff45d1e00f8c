// Package nightly owns the plan of a run and the way of an evaluation: it wires
// agents, the harness, the searcher, the archive, the verdict and the proposal,
// for each agent in turn. It writes run, plan, result, exposure and proposal
// records and the ledger's run entries; it decides nothing that bench/stats did
// not decide, and adopts nothing.
package nightly
