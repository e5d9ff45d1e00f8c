// Package turn owns one turn of the built-in agent: classify the domain, recall,
// assemble the bootstrap, decompose, run the bounded loop of model and tools,
// check, answer. Its limits cannot be raised by a config, a strategy, a tool or
// a model. It implements [evolve/runtime/agent.Agent] and writes nothing.
package turn
