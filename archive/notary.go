package archive

import "context"

// Notary is notified of the head of the ledger while an archive is open for writing, for
// example to sign it. Its methods are called while the archive's lock on changes is held:
// they may read the archive, but must not change it.
type Notary interface {
	// Opened is called once, when the archive is opened and before anything is added, with
	// the current head of the ledger. Either the chain and the witness match that head, or
	// a person accepts it. The hash of an empty ledger is empty. If Opened returns an
	// error, the archive is not opened and nothing is added.
	Opened(ctx context.Context, a *Archive, head Witness) error
	// Added is called after each entry, when the entry and its witness are on disk.
	Added(head Witness)
}
