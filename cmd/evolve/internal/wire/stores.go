package wire

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"evolve/archive"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/signing"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
)

// ReadArchive opens the archive of a workspace for reading, even while a run holds it.
func ReadArchive(root string) (*archive.Archive, error) {
	return Begun(archive.OpenRead(ArchiveDir(root)))
}

// Begun takes and returns the result of opening an archive. It replaces the error for a
// missing archive with an error that tells the user that nothing is recorded yet.
func Begun(a *archive.Archive, err error) (*archive.Archive, error) {
	if errors.Is(err, archive.ErrNotFound) {
		return nil, exit.Errorf(exit.Usage, "`evolve run` records the first results", "nothing is recorded in this workspace yet")
	}
	return a, Opening(err)
}

// Opening returns a *archive.LockedError without the text around it, and other errors
// unchanged.
func Opening(err error) error {
	var locked *archive.LockedError
	if errors.As(err, &locked) {
		return locked
	}
	return err
}

// OpenArchive opens the archive for writing, records the lowered levels of autonomy, and
// stores the turns that were waiting for it. The first call in a process also finishes the
// decisions that killed processes began, and fails if heads are to be signed but the key
// cannot be used.
func (h *Host) OpenArchive(root, owner string) (*archive.Archive, error) {
	a, err := h.openSwept(root, owner)
	if err == nil {
		h.RecordLowerings(root, a)
		h.storeSpooled(root, a)
	}
	return a, err
}

// openSwept opens the archive for writing. The first call in a process finishes the
// decisions that killed processes began.
func (h *Host) openSwept(root, owner string) (*archive.Archive, error) {
	first := !h.swept.Swap(true)
	n, err := h.Notary(root)
	if first && err != nil {
		return nil, err
	}
	a, err := h.OpenSigned(root, owner, n)
	if err != nil || !first {
		return a, err
	}
	if note, err := batch.StaleEnding(h.Ctx, a, filepath.Dir(ArchiveDir(root))); err == nil && note != "" {
		_ = os.Remove(note) // a file that remains does no harm
	}
	left, err := review.Unfinished(h.Ctx, a)
	if err == nil && len(left) == 0 {
		return a, nil
	}
	if err = errors.Join(err, a.Close()); err != nil {
		return nil, err
	}
	h.sweep(root, left)
	return h.openUnswept(root, owner)
}

// openUnswept is like openSwept, but does not finish decisions first. If new entries cannot
// be signed, it warns.
func (h *Host) openUnswept(root, owner string) (*archive.Archive, error) {
	n, _ := h.Notary(root)
	return h.OpenSigned(root, owner, n)
}

// OpenSigned opens the archive for writing, with the notary that signs its heads; the
// notary may be nil. If another command holds the archive, OpenSigned waits for a few
// seconds. It fails if the ledger does not contain the signed head.
func (h *Host) OpenSigned(root, owner string, n *signing.Notary) (*archive.Archive, error) {
	if _, err := workspace.MakeStateDir(root); err != nil {
		return nil, err
	}
	opts := archive.Options{Owner: owner, Now: h.Now}
	if n != nil {
		opts.Notary = n
	}
	var a *archive.Archive
	err := h.WhileHeld(func() (err error) {
		a, err = archive.Open(ArchiveDir(root), opts)
		return Opening(err)
	})
	return a, err
}

// ArchiveDir returns the folder of a workspace's archive.
func ArchiveDir(root string) string { return filepath.Join(root, ".evolve", "archive") }

// Lender opens the archive for each piece of work and closes it afterwards, so that other
// processes can use it while gates run.
func (h *Host) Lender(root, owner string) review.WithStore {
	return lender(func() (*archive.Archive, error) { return h.OpenArchive(root, owner) })
}

// UnsweptLender is like Lender, but does not finish decisions first.
func (h *Host) UnsweptLender(root, owner string) review.WithStore {
	return lender(func() (*archive.Archive, error) { return h.openUnswept(root, owner) })
}

func lender(open func() (*archive.Archive, error)) review.WithStore {
	return func(_ context.Context, work func(*archive.Archive) error) error {
		a, err := open()
		return lookInto(a, err, work)
	}
}

// Look calls look with the archive opened for reading, and then closes the archive.
func Look(root string, look func(*archive.Archive) error) error {
	a, err := ReadArchive(root)
	return lookInto(a, err, look)
}

// Inspect is like [Look], but does not check the ledger against the witness, so it also
// works if they do not match.
func Inspect(root string, look func(*archive.Archive) error) error {
	a, err := Begun(archive.Inspect(ArchiveDir(root)))
	return lookInto(a, err, look)
}

// LookIfThere is like [Look], but returns nil without calling look if there is no archive.
func LookIfThere(root string, look func(*archive.Archive) error) error {
	a, err := archive.OpenRead(ArchiveDir(root))
	if errors.Is(err, archive.ErrNotFound) {
		return nil
	}
	return lookInto(a, Opening(err), look)
}

func lookInto(a *archive.Archive, err error, look func(*archive.Archive) error) error {
	if err != nil {
		return err
	}
	return errors.Join(look(a), a.Close())
}

// AuditSettings returns the setting `audit` of a workspace.
func (h *Host) AuditSettings(root string) (workspace.Audit, error) {
	home := h.Env.Get("HOME")
	if home == "" {
		home, _ = os.UserHomeDir()
	}
	return workspace.AuditSettings(root, home)
}

// Notary returns the notary of a workspace, or nil if the workspace's settings name no key.
// If the key cannot be used, it also returns the reason; the notary then signs nothing and
// prints a warning when an entry is added.
func (h *Host) Notary(root string) (*signing.Notary, error) {
	set, err := h.AuditSettings(root)
	if err == nil && set.Sign == "" {
		return nil, nil
	}
	n := &signing.Notary{Root: root, Stderr: h.Stderr, Command: h.Command, Reached: h.Reached}
	return n, n.Use(set, err)
}
