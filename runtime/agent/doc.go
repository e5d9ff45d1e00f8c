// Package agent owns the vocabulary of one agent run: the config (an assignment
// of values to declared parameters), the space it is drawn from, its canonical
// JSON and identity, the request and result of a run, the limits that bound it,
// and the typed outcome it ends in.
//
// It writes nothing and starts nothing. Implementations of [Agent] live beside
// it: runtime/turn (the built-in runtime) and runtime/command (an operator's own
// program). Text that came from an agent is data in every field here: never a
// path, a template, a format string or a shell word.
package agent
