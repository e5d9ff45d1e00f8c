// Package source summarises source text without building or running it: the declarations,
// imports and purpose of Go, Python, JavaScript and TypeScript files. Its input is
// untrusted text, and its output is data of limited size; it opens no file.
//
// Go is parsed by go/parser. The other languages are tokenized by a lexer of our own,
// which takes linear time on any text and continues after every error.
package source
