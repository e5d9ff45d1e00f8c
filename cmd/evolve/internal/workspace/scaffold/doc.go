// Package scaffold holds the workspaces that `evolve init` copies. The default workspace,
// which `evolve demo` also runs, has one built-in agent, its memories, and a suite of tasks
// with fixtures, all invented for this project. Each workspace of `evolve init --agent` has
// an agent of one kind and a suite of twenty tasks. The package writes nothing.
//
// The trees are in _workspace and _kinds. The underscore keeps their Go files from becoming
// packages of this module.
package scaffold
