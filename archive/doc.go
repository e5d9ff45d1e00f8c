// Package archive stores everything that must outlive a process: variants with their
// lineage, evaluations and transcripts, runs, proposals, decisions, change requests, live
// turns and sessions of agents, the hash-chained ledger, and the ledgers of holdout
// exposure, of entries into the confirmation and of mutations tried. No other package uses
// Badger. Package archive makes no decisions and computes no statistics.
//
// The typed store of [Archive] is built on a small ordered key-value engine. There are
// three engines: Badger in the folder "store" of the archive, memory for tests, and the
// socket "readers.sock" on which the process that holds the archive answers readers. The
// file "lock" names that process. Keys are documented in keys.go. Stored records are
// versioned, and fields may be added to them. An export (exchange.go) is the form for other
// programs, and a backup (backup.go) is a copy of all stored pairs.
//
// Acknowledged writes are on disk and survive kill -9 and power loss. Transcripts and
// evaluations are removed as [Retention] describes, but only by [GC], which replaces the
// store with one that lacks them; nothing else is ever deleted.
package archive
