package archive

import "context"

// Notary follows the head of the ledger while an archive is open for writing, for example
// to sign it. It is called while the archive's lock on changes is held: it may read, and
// must not change the archive.
type Notary interface {
	// Opened is called once, with the head at the open: the chain and the witness match the
	// head, or a person accepts it. Nothing has been added yet. The hash of an empty ledger
	// is empty. An error ends the open before anything is added.
	Opened(ctx context.Context, a *Archive, head Witness) error
	// Added is called after each entry, when the entry and its witness are on disk.
	Added(head Witness)
}
