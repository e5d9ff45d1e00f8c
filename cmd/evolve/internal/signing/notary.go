package signing

import (
	"context"
	"errors"
	"fmt"
	"io"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/workspace"
	foreign "evolve/runtime/text"
)

// Notary signs each head that this process adds to the ledger, and the one entry that a
// process can leave unsigned if it is killed. It signs no other entry that it finds,
// because anyone who can write to the archive may have added it.
type Notary struct {
	// Root is the workspace's folder.
	Root string
	// Stderr receives warnings.
	Stderr io.Writer
	// Command returns a command of evolve as it must be typed in the current folder.
	Command func(string) string
	// Reached is called with [StepSigning] before a head is signed. Only tests set it.
	Reached func(step string) error
	// Own is set if the entry that is found unsigned was added by this process.
	Own bool

	keys Keys
	// fault is the reason why heads are not signed; warned reports whether the reason was
	// printed.
	fault  error
	warned bool
}

// Use reads the keys that the setting audit names. If they cannot be used, it returns the
// reason; the notary then signs nothing and warns when an entry is added. settings is the
// error from reading the setting.
func (n *Notary) Use(set workspace.Audit, settings error) error {
	n.fault = settings
	if settings == nil {
		n.keys, n.fault = Load(set)
	}
	return n.fault
}

// Hint is the hint about a ledger that does not have the signed head.
const Hint = "compare the archive with a backup, and see `evolve audit log`; `evolve audit sign --anew` signs the ledger as it is"

// Opened compares the ledger with the signed head. It fails if the ledger does not have
// that head.
func (n *Notary) Opened(ctx context.Context, a *archive.Archive, head archive.Witness) error {
	if n.keys.Key == nil { // the notary warns about entries that are added
		return nil
	}
	n.fault = nil
	signed, err := Read(ctx, a, n.Root, n.keys.Allowed)
	if head.Hash == "" && errors.Is(err, ErrUnsigned) {
		err = nil // the ledger is new
	}
	switch {
	case errors.As(err, new(*archive.AuditError)):
		return exit.Errorf(exit.Integrity, Hint, "the ledger does not continue from the signed head: %w", err)
	case err != nil:
		n.fault = err
	case head.Seq > signed.Seq+1:
		n.fault = UnsignedError{signed.Seq + 1, head.Seq}
	case head.Seq == signed.Seq+1:
		if !n.Own {
			_, _ = fmt.Fprintf(n.Stderr, "signing entry %d of the ledger, which a killed process left unsigned\n", head.Seq)
		}
		n.Added(head)
	}
	n.warn()
	return nil
}

// StepSigning is the step of a decision after a ledger entry is added and before the new
// head is signed.
const StepSigning = "signing"

// Added signs a head.
func (n *Notary) Added(head archive.Witness) {
	if n.fault == nil {
		if n.Reached != nil {
			_ = n.Reached(StepSigning)
		}
		if err := Write(n.Root, n.keys.Key, head.Archive, head.Seq, head.Hash); err != nil {
			// Signing is tried again with the next entry.
			_, _ = fmt.Fprintf(n.Stderr, "warning: entry %d of the ledger is not signed: %s\n", head.Seq, foreign.Visible(err.Error()))
		}
		return
	}
	n.warn()
}

// warn prints one warning that new ledger entries are not signed, with the reason.
func (n *Notary) warn() {
	if n.fault == nil || n.warned {
		return
	}
	n.warned = true
	_, hint := exit.Of(n.fault)
	text := n.fault.Error()
	if !errors.As(n.fault, new(KeyError)) {
		hint = n.Command("evolve audit sign") + " signs the ledger; inspect the ledger first"
	}
	if hint != "" {
		text += "; " + hint
	}
	_, _ = fmt.Fprintf(n.Stderr, "warning: new ledger entries are not signed: %s\n", foreign.Visible(text))
}
