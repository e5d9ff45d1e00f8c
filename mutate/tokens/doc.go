// Package tokens rewrites the text of a marked block of source code in any language with
// lexical operators. Package rewrite does the same for Go, with syntax trees and types.
// Numbers are perturbed; operators, comparisons and names are replaced; conditions are
// negated; terms are grown and dropped; lines are swapped, deleted, duplicated and moved
// from one text to another ([Rewriter.Mutate], [Rewriter.Cross]). The package needs no
// model and no compiler. It runs nothing and writes nothing; its input is foreign data of
// bounded length: a block has at most 64 KiB and 4096 tokens.
//
// The file name extension determines the language. The language determines what comments,
// strings and numbers look like, and whether indentation, braces or words delimit blocks.
// Every result
//
//   - takes all its strings and comments, unchanged, from the texts from which it was made;
//   - has the unmatched brackets of the text and no others;
//   - preserves the heads of declarations and loops, what a while loop depends on, and the
//     indentation of lines;
//   - has a different normal form ([Rewriter.Normal]);
//   - is at most three times as large as the block, plus a hundred tokens.
//
// A result need not compile. The operators know neither types nor scopes nor the grammar of
// a language. It is up to the caller's build and tests to find names that are defined
// later, a number instead of a list, lines without the line on which they depend, and
// endless loops. In tests, more than nine tenths of the results in Python parse. In shell
// scripts, operators are changed only within (( )). Macros, templates, formats inside
// strings, and regular expressions in languages without a delimiter for them are not
// understood.
package tokens
