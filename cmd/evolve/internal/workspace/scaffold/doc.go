// Package scaffold holds the workspace that `evolve init` copies and `evolve demo` runs:
// one built-in agent, its memories, and a suite of tasks with fixtures, all invented for
// this project. It writes nothing.
//
// The tree is in _workspace: the underscore keeps the Go files of the fixtures out of
// this module's packages.
package scaffold
