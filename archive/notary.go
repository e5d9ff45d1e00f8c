package archive

import "context"

// Notary follows the head of the ledger while an archive is open for writing, such as to
// sign it. It is called with the archive's lock on changes held: it may read, and must not
// change the archive.
type Notary interface {
	// Opened is called once, with the head that was found: the chain and the witness fit it,
	// or a person accepts it. Nothing has been added yet. The zero hash is that of an empty
	// ledger. An error ends the open, before anything is added.
	Opened(ctx context.Context, a *Archive, head Witness) error
	// Added is called after each entry, when the entry and the witness of it are on disk.
	Added(head Witness)
}
