// Package batch plans and runs a night: it connects agents, the harness, the searcher,
// the archive, the verdict and the proposal, for each agent in turn. It writes run, plan,
// result, exposure and proposal records and the ledger's run entries; all statistical
// decisions are those of bench/stats, and it adopts nothing.
package batch
