// Package source summarises source text without building or running it: the
// declarations, imports and purpose of Go, Python, JavaScript and TypeScript files.
// Foreign text in, bounded data out; it opens no file.
//
// Go is read by go/parser. The other languages are cut into tokens by chroma's
// machine under rules of our own (see lex.go for why not chroma's), and the imports
// of JavaScript and TypeScript are judged by esbuild, which is given the import
// statements and calls alone, never a whole file: it nests as deep as its input and
// cannot be stopped.
package source
