// Package turn runs one turn of the built-in agent: classify the domain, take up the
// session, choose the route, distil a long history, assemble the bootstrap, decompose,
// then recall and run the bounded loop of model and tools for each goal, check, answer.
// Every call goes through [evolve/runtime/tool.Registry] and its policies; actions that
// only a person may take leave a change request. No config, strategy, tool or model can
// raise the turn's limits. The package implements [evolve/runtime/agent.Agent] and
// writes nothing.
package turn
