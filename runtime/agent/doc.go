// Package agent defines the types for one agent run: the config (an assignment of values to
// declared parameters), its search space, its canonical JSON and identity, the request and
// result of a run, the limits on a run, and its typed outcome.
//
// It writes nothing and starts nothing. Implementations of [Agent] are in runtime/turn (the
// built-in runtime) and runtime/command (an operator's own program). Text from an agent is
// data in every field here: never a path, a template, a format string or a shell word.
package agent
