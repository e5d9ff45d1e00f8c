// Package rewrite rewrites the text of a marked block of Go source by typed operators on
// syntax trees, the mutation operators of genetic programming: constants are perturbed,
// operators and comparisons replaced, terms, conditions and calls grown, dropped, hoisted
// and swapped, guards and assignments inserted, statements deleted, duplicated and
// reordered, and subtrees of one text put into another ([Rewriter.Mutate],
// [Rewriter.Cross]). It needs no model. It runs nothing and writes nothing; its input is
// foreign data, and its size is bounded.
//
// A block is a whole number of declarations, or of statements of one function. Every
// result
//
//   - parses, is formatted as gofmt does, and type-checks together with the declarations
//     of its package, without unused variables and imports;
//   - declares all names of the block at package level, with their signatures;
//   - imports nothing more, and adds no calls but of functions of the package that have no
//     side effects, of package math where the file imports it, and of len, min and max;
//   - adds no go, defer, select or goto statement and no channel operation, and leaves
//     init functions unchanged;
//   - adds no endless loop: headers of for statements, the statements that lead to their
//     end, and recursive functions stay as they are, and no call adds recursion;
//   - is at most three times as large as the block, and a hundred syntax nodes.
//
// Two things are left to the tests of the caller: an index out of range or a division by
// zero at run time, and a loop that becomes long because its limit becomes large.
//
// [Normal] reduces texts to their essential tokens, and [Size] measures them.
package rewrite
