// Package memory owns recall: a lexical index (BM25 with stemming) over the
// memories an agent holds, with the recall parameters of spec 3.2 and 3.4. It
// keeps everything in memory and writes nothing; the entries belong to the caller.
package memory
