// Package turn owns one turn of the built-in agent: take up the session, distil a long
// history, classify the domain, choose the route, recall, assemble the bootstrap,
// decompose, run the bounded loop of model and tools, check, answer. Every call goes
// through [evolve/runtime/tool.Registry] and its policies; what only a person may do
// leaves a change request. Its limits cannot be raised by a config, a strategy, a tool or
// a model. It implements [evolve/runtime/agent.Agent] and writes nothing.
package turn
