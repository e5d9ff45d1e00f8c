// Package batch plans and runs a night over all agents. It divides the limits of the run
// among the agents, runs each agent's night ([night.Run]), resumes a run whose process
// died, and then drafts skills and proposes patches. It writes run records, the ledger's
// run and patch entries, and the note in the state folder about a run's end. It adopts
// nothing.
package batch
