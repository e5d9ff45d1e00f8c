// Package calls compares the calls in changed files with those in the base, by name, in
// languages other than Go. It finds calls that end the process, write output, read how the
// process was started, or access files, the network, processes or other code. Code that
// ends the process and also writes output or reads its arguments can report made-up values
// in place of those that the command would have printed.
//
// Names are recognised from a language's tokens, and nothing is resolved. Names in strings,
// names composed at run time and names defined in another file are not found, and any
// function with a known name is taken for the known function.
package calls
