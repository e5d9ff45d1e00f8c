// Package archive stores everything that must outlive a process: variants with their
// lineage, evaluations and transcripts, runs, proposals, decisions, change requests, turns
// and sessions of agents at work, the hash-chained ledger, the ledgers of holdout
// exposure, of entries into the confirmation and of mutations tried. No other package uses
// Badger. It makes no decisions and computes no statistics.
//
// The typed store of [Archive] stands on a small ordered key-value engine, of which there
// are three: Badger in the folder "store" of the archive, memory for tests, and the socket
// "readers.sock" on which the process that holds the archive answers readers. The file
// "lock" names that process. Keys are documented in keys.go; stored records are versioned
// and append-compatible. An export (exchange.go) is the form for other programs, a backup
// (backup.go) a copy of all stored pairs.
//
// Acknowledged writes are on disk and survive kill -9 and power loss. Transcripts and
// evaluations are removed by [Retention], in [GC] alone, which replaces the store by one
// without them; nothing else is ever deleted.
package archive
