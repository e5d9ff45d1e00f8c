// Package rewrite rewrites the text of a marked block of Go source with typed operators
// on syntax trees, the mutation operators of genetic programming. Constants are
// perturbed; operators and comparisons are replaced; terms, conditions and calls are
// grown, dropped, hoisted and swapped; guards and assignments are inserted; statements
// are deleted, duplicated and reordered; and subtrees of one text are put into another
// ([Rewriter.Mutate], [Rewriter.Cross]). The package needs no model. It runs nothing and
// writes nothing; its input is untrusted data of bounded length.
//
// A block consists of whole declarations, or of whole statements of one function. Every
// result
//
//   - parses, is formatted as by gofmt, and type-checks together with the declarations of
//     its package, without unused variables and imports;
//   - declares all package-level names of the block, with their signatures;
//   - imports no further packages, and adds only calls to functions of the package that
//     have no side effects, to package math if the file imports it, and to len, min and max;
//   - adds no go, defer, select or goto statement and no channel operation, and leaves
//     init functions unchanged;
//   - adds no endless loop: headers of for statements, the statements that lead to their
//     end, and recursive functions stay as they are, and no call adds recursion;
//   - is at most three times as large as the block, plus a hundred syntax nodes.
//
// Two things are left to the caller's tests: an index out of range or a division by zero
// at run time, and a loop that becomes long because its limit becomes large.
//
// [Normal] reduces texts to their essential tokens, and [Size] measures them.
package rewrite
