// Package source summarises source text without building or running it: the
// declarations, imports and purpose of Go, Python, JavaScript and TypeScript files.
// Foreign text in, bounded data out; it opens no file.
package source
