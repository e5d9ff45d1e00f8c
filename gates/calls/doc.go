// Package calls compares the calls of a change with those of its base, by name, in languages other
// than Go. It finds calls that end the process, write output, read how the process was started, or
// reach files, the network, processes and other code. A text that ends the process and writes
// output, or reads its arguments, can put values in place of those of the command that runs it.
//
// Names are read by the tokens of a language, and nothing is resolved. A name in a string, a name
// that is composed at run time, and one that another file defines are not found, and a function of
// the same name is taken for the known one.
package calls
