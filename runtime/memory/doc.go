// Package memory implements recall: a lexical index (BM25 with stemming) over an agent's
// memories, with configurable recall parameters. It holds everything in RAM and writes
// nothing; the entries belong to the caller.
package memory
