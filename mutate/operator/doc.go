// Package operator implements the operators that make a config from other configs, and the
// bandit that chooses among them. The operators change numbers, choices, subsets and texts,
// cross over, merge three ways, and amend a strategy in response to clustered failures. The
// package writes no files; the search decides whether a child is evaluated. Text from
// failures is data, never an instruction.
package operator
