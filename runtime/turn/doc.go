// Package turn runs one turn of the built-in agent: it classifies the domain, resumes the
// session, chooses the route, distils a long history, assembles the bootstrap and
// decomposes the goal. Then, for each goal, it recalls memories, runs the bounded loop of
// model and tools, checks the answer, and answers. Every call goes through
// [evolve/runtime/tool.Registry] and its policies; actions that only a person may take
// leave a change request. No config, strategy, tool or model can raise the turn's limits.
// The package implements [evolve/runtime/agent.Agent] and writes nothing.
package turn
