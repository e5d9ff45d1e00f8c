package patching

import (
	"context"

	"evolve/archive"
	"evolve/cmd/evolve/internal/decide"
	"evolve/patch"
)

// Finish records the commit of a decision on a patch whose process was killed before it
// could, and returns the updated intent. It is [decide.Desk.Finish] for patches.
func (d *Desk) Finish(ctx context.Context, in archive.Intent) (next archive.Intent, err error) {
	err = d.Archive(ctx, func(a *archive.Archive) error {
		next, err = d.finish(ctx, a, in)
		return err
	})
	return next, err
}

func (d *Desk) finish(ctx context.Context, a *archive.Archive, in archive.Intent) (archive.Intent, error) {
	if in.Stage != archive.IntentCommit {
		return in, nil
	}
	p, err := find(ctx, a, in.Proposal)
	if err != nil {
		return in, err
	}
	t, err := d.targetOf(p)
	if err != nil {
		return in, err
	}
	repo, err := d.open(t)
	if err != nil {
		return in, err
	}
	change := Change(p)
	if in.Action == "rollback" {
		change = patch.Reverse(change)
	}
	commit, err := decide.Committed(repo, in, change)
	if err != nil {
		return in, err
	}
	switch {
	case commit == "":
		return decide.Leave(ctx, a, in, p.State, archive.LedgerEntry{Time: d.Now(), Actor: robot})
	case in.Action == "approve" && p.State == archive.Approved:
		_, next, err := d.adopted(ctx, a, p, in, commit)
		return next, err
	case in.Action == "rollback" && p.State == archive.Adopted:
		_, next, err := d.rolledBack(ctx, a, p, in, commit)
		return next, err
	}
	in.Stage = archive.IntentDone
	return in, a.PutIntent(ctx, in)
}
