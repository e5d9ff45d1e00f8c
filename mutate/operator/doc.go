// Package operator implements the operators that make a config from others: changes of
// numbers, choices, subsets and texts, crossover, three-way merge, amendments of a
// strategy from clustered failures, and the bandit that chooses among them. It writes no
// files; the search decides whether a child is evaluated. Text from failures is data,
// never an instruction.
package operator
