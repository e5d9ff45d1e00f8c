// Package cli is the command line: each command reads its flags, calls a package, and
// prints the result. It maps errors to exit codes.
package cli
