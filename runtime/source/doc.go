// Package source summarises source text without building or running it: the
// declarations, imports and purpose of Go, Python, JavaScript and TypeScript files. Its
// input is foreign text, its output bounded data; it opens no file.
//
// Go is parsed by go/parser. The other languages are tokenized by chroma's engine with
// rules of our own (lex.go explains why not chroma's). The imports of JavaScript and
// TypeScript are verified by esbuild, which gets only the import statements and calls,
// never a whole file: its recursion is as deep as its input, and it cannot be stopped.
package source
