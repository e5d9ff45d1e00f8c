package review

import (
	"context"
	"fmt"
	"path/filepath"

	"evolve/archive"
	"evolve/gates"
	"evolve/gates/gotest"
)

// gateReversal runs the gates that check whether the target without the patch still builds
// and passes its tests, and notes the resulting tree and the digest of the verdicts.
func (rev *Reviewer) gateReversal(ctx context.Context, r *reversal) error {
	p, t := r.proposal, r.subject.(*patchSubject)
	w := &gateRun{Reviewer: rev, target: t.target, repo: t.repo, base: r.head, files: r.files}
	done, err := w.prepare(ctx, p.ID)
	if err != nil {
		return err
	}
	defer done()
	if w.tree, err = t.repo.Candidate(r.head, r.files); err != nil {
		return fmt.Errorf("writing the tree that is restored: %w", err)
	}
	r.tree = w.tree
	from := r.head
	if was, err := t.repo.TreeOf(p.Patch.BaseCommit); err != nil {
		return err
	} else if was == w.tree {
		from = was // tests that failed before the patch may fail again
	}
	verdicts, err := w.compareReversed(ctx, from, w.tree, r.files, gotest.Build, gotest.Vet, gotest.Affected, gotest.All)
	if err != nil {
		return err
	}
	back := filepath.Join(w.scratch, "back")
	verdicts = append(verdicts, gates.Run(ctx, w.restoredGates(filepath.Join(back, "from"), filepath.Join(back, "to")))...)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if bad, ok := allPass(verdicts); !ok {
		return Refuse("roll back what builds on it first, or restore the files by hand", "without %s the gate %q says %s: %s", p.ID, bad.Gate, verdictName(bad), bad.Evidence)
	}
	reversed := p
	reversed.Gates = verdicts
	reversed.Patch = &archive.PatchBrief{BaseCommit: r.head, Tree: w.tree, Policy: p.Patch.Policy}
	r.digest = Digest(reversed)
	return nil
}
