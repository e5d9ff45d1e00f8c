package review

import (
	"context"
	"fmt"

	"evolve/archive"
	"evolve/gates"
	"evolve/gates/gotest"
)

// gateReversal runs the gates that check whether the target still builds and passes its
// tests without the patch. In r, it stores the resulting tree and a digest that covers the
// verdicts.
func (rev *Reviewer) gateReversal(ctx context.Context, r *reversal) error {
	p, t := r.proposal, r.subject.(*patchSubject)
	w := &gateRun{Reviewer: rev, target: t.target, repo: t.repo, base: r.head, files: r.files}
	done, err := w.prepare(ctx, p.ID)
	if err != nil {
		return err
	}
	defer done()
	if w.tree, err = t.repo.Candidate(r.head, r.files); err != nil {
		return fmt.Errorf("writing the restored tree: %w", err)
	}
	r.tree = w.tree
	from := r.head
	if was, err := t.repo.TreeOf(p.Patch.BaseCommit); err != nil {
		return err
	} else if was == w.tree {
		from = was // tests that failed before the patch may fail again
	}
	if err := w.findGo(from); err != nil {
		return err
	}
	before, after, err := w.exportReversed(ctx, from, w.tree)
	if err != nil {
		return err
	}
	var verdicts []archive.GateVerdict
	if w.hasGo {
		if verdicts, err = w.compareReversed(ctx, before, after, r.files, gotest.Build, gotest.Vet, gotest.Affected, gotest.All); err != nil {
			return err
		}
	} else {
		verdicts = gates.Run(ctx, w.languageGates()[:1])
	}
	if w.commanded() {
		verdicts = append(verdicts, gates.Run(ctx, w.restoredGates(before, after))...)
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if bad, ok := allPass(verdicts); !ok {
		return Refuse("first roll back the changes that build on the proposal, or restore the files by hand", "if %s is rolled back, the verdict of the gate %q is %s: %s", p.ID, bad.Gate, verdictName(bad), bad.Evidence)
	}
	reversed := p
	reversed.Gates = verdicts
	reversed.Patch = &archive.PatchBrief{BaseCommit: r.head, Tree: w.tree, Policy: p.Patch.Policy}
	r.digest = Digest(reversed)
	return nil
}
