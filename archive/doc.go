// Package archive owns everything that must outlive a process: variants with
// their lineage, evaluations and transcripts, runs, proposals, decisions, change
// requests, turns and sessions of agents at work, the hash-chained ledger, the
// ledgers of holdout exposure, of entries into the confirmation and of mutations
// tried. It alone knows Badger. It never decides and never computes a statistic.
//
// The typed store of [Archive] stands on a small ordered key-value engine, of
// which there are three: Badger in the folder "store" of the archive, memory for
// tests, and the socket "readers.sock" on which the process that holds the archive
// answers readers. The file "lock" says who that is. Keys are documented in
// keys.go; stored records are versioned and append-compatible. An export
// (exchange.go) is the form for other programs, a backup (backup.go) the one from
// before a change of schema.
//
// What is reported done is on disk and survives kill -9 and power loss. Transcripts and
// evaluations go by [Retention], in [GC] alone, which puts a store without them in the
// place of the old one; nothing else is ever deleted.
package archive
