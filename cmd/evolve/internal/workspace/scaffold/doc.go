// Package scaffold holds the workspace that `evolve init` copies and `evolve demo` runs:
// one built-in agent, its memories, and a suite of tasks with fixtures, all invented for
// this project; and the workspaces of `evolve init --agent`, each with an agent of one kind
// and a suite of twenty tasks. It writes nothing.
//
// The trees are in _workspace and _kinds: the underscore keeps their Go files out of this
// module's packages.
package scaffold
