// Package tokens rewrites the text of a marked block of source code in any language by
// lexical operators, in the manner of package rewrite, which does so for Go by syntax trees
// and types. Numbers are perturbed; operators, comparisons and names replaced; conditions
// negated; terms grown and dropped; lines swapped, deleted, duplicated and moved from one
// text to another ([Rewriter.Mutate], [Rewriter.Cross]). It needs no model and no compiler.
// It runs nothing and writes nothing; its input is foreign data, and its size is bounded: a
// block has at most 64 KiB and 4096 tokens.
//
// The language follows from the ending of the file's name. It determines what comments,
// strings and numbers look like, and whether indentation, braces or words delimit blocks.
// Every result
//
//   - has all its strings and comments from the texts that it was made of, unchanged;
//   - has the unmatched brackets of the text and no others;
//   - keeps the heads of declarations and loops, what a while loop runs on, and the
//     indentation of lines;
//   - differs in its normal form ([Rewriter.Normal]);
//   - is at most three times as large as the block, and a hundred tokens.
//
// A result need not compile. The operators know neither types nor scopes nor the grammar of
// a language: a name that is defined later, a number in place of a list, and a line without
// the one it depends on are left to the build and the tests of the caller, and so are loops
// without an end. In tests, more than nine tenths of the results in Python parse. Operators
// of a shell are changed within (( )) alone. Macros, templates, regular expressions in a
// language without a sign for them, and formats inside strings are not understood.
package tokens
