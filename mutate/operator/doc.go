// Package operator owns the ways in which one config is made from others: changes of
// numbers, choices, subsets and texts, crossover, three-way merge, amendments of
// a strategy from clustered failures, and the bandit under which they compete
// (spec 5.3). It writes nothing; whether a child is worth an evaluation is the
// search's business. Whatever it reads of failures is data, never an instruction.
package operator
