package review

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"evolve/archive"
	"evolve/patch"
	"evolve/patch/quota"
)

// patchSubject is the subject of a proposal for a patch.
type patchSubject struct {
	*session
	p      archive.ProposalRecord
	target Target
	repo   *patch.Repository
}

// resolve finds the target and opens the target's repository.
func (t *patchSubject) resolve() (err error) {
	if t.repo != nil {
		return nil
	}
	if t.target, err = t.targetOf(t.p); err == nil {
		t.repo, err = t.open(t.target)
	}
	return err
}

func (t *patchSubject) repository() (*patch.Repository, error) { return t.repo, t.resolve() }

// staleError reports that the target or its terms have changed since a patch was gated.
type staleError struct {
	target Target
	repo   *patch.Repository
	// head is the current commit of the target.
	head string
	// terms reports whether only the target's settings have changed.
	terms bool
}

func (e *staleError) Error() string {
	if e.terms {
		return "the settings of the target have changed"
	}
	return fmt.Sprintf("the target's HEAD is now commit %.12s", e.head)
}

// adoptable refuses an inconsistent record: the stored digest must be the digest of the
// stored fields, and the stored files must produce the stored tree. It returns a
// *staleError if the target or its policy has changed, and it refuses a patch that exceeds
// the limit on adoptions.
func (t *patchSubject) adoptable(ctx context.Context, p *archive.ProposalRecord, _ Decision) error {
	tree, err := t.repo.Candidate(p.Patch.BaseCommit, files(*p))
	if err != nil {
		return fmt.Errorf("writing the patched tree: %w", err)
	}
	if tree != p.Patch.Tree || Digest(*p) != p.Patch.Digest {
		return Refuse("`evolve audit verify` and `evolve archive check` show more; reject the proposal", "%s is not the patch that its gates checked: its digest does not match", p.ID)
	}
	if err := Bound(ctx, t.store, *p); err != nil {
		return err
	}
	_, policy, err := t.target.terms()
	if err != nil {
		return err
	}
	_, head, err := t.repo.Head()
	if err != nil {
		return err
	}
	if head != p.Patch.BaseCommit || policy != p.Patch.Policy {
		return &staleError{t.target, t.repo, head, head == p.Patch.BaseCommit}
	}
	list, err := past(ctx, t.store)
	if err != nil {
		return err
	}
	return tooSoon(quota.CheckAdoption(list, t.Now()), "approve it later: a patch does not change while it waits")
}

// tooSoon turns a *quota.TooSoonError into a refusal and returns any other error unchanged.
func tooSoon(err error, hint string) error {
	var soon *quota.TooSoonError
	if errors.As(err, &soon) {
		return Refuse(hint, "%s", soon)
	}
	return err
}

func (t *patchSubject) ready(ctx context.Context, repo *patch.Repository, change []patch.File, _ Decision) error {
	branch, head, err := repo.Head()
	if err != nil {
		return err
	}
	if branch == "" {
		return Refuse("check out the branch that should get the commit, for example with `git switch main`", "HEAD of %s is detached", t.p.Patch.Repository)
	}
	err = repo.MovableBranch(ctx, branch, head, change)
	var inUse *patch.CheckedOutError
	if errors.As(err, &inUse) && repo.Top() != "" {
		if dirty, _ := repo.Dirty(ctx, paths(t.p)); len(dirty) > 0 {
			return uncommitted(dirty)
		}
	}
	if inUse != nil && !errors.Is(err, patch.ErrNoGit) {
		return Refuse("resolve this, then repeat the command", "%s", inUse)
	}
	return hindered(needsGit(err))
}

func (t *patchSubject) begin(context.Context, patch.Person, Decision) (*patch.Repository, error) {
	return t.repository()
}

// movable refuses in the same cases as ready. It also returns a *staleError if the target
// moved before the commit of an approval was made.
func (t *patchSubject) movable(ctx context.Context, repo *patch.Repository, head string, m *move) error {
	if m.record.Action == "approve" && head != t.p.Patch.BaseCommit {
		return &staleError{t.target, repo, head, false}
	}
	return t.ready(ctx, repo, m.change, m.decision)
}

func (t *patchSubject) forward(ctx context.Context, repo *patch.Repository, m patch.Move) error {
	err := repo.Advance(ctx, m)
	var inUse *patch.CheckedOutError
	switch {
	case errors.As(err, &inUse):
		hint := "resolve this, then repeat the command"
		if inUse.Command != "" {
			hint += "; the repeated command does what `" + inUse.Command + "` does"
		}
		return Refuse(hint, "%s", inUse)
	case errors.Is(err, patch.ErrMoved):
		return Refuse("repeat the command", "the target's branch changed in the meantime")
	case err != nil:
		return fmt.Errorf("moving the branch: %w", err)
	}
	return nil
}

func (t *patchSubject) landed(ctx context.Context, repo *patch.Repository, branch, commit, tree string, change []patch.File) error {
	return repo.Landed(ctx, branch, commit, tree, change)
}

// reversible computes how to reverse the patch in the target's present files. If lines
// that the patch changed are no longer as the patch left them, reversible refuses and
// names the files.
func (t *patchSubject) reversible(ctx context.Context, r *reversal, d Decision) (err error) {
	if r.later, err = t.adoptedLater(ctx, t.p, t.touches); err != nil {
		return err
	}
	if _, r.head, err = t.repo.Head(); err != nil {
		return err
	}
	if r.there {
		return nil
	}
	files, conflicts, err := backOnto(t.repo, r.head, r.files)
	if err != nil {
		return err
	}
	if len(conflicts) > 0 {
		return changedSince(t.p, conflicts, r.later, "the patch's lines in these files have changed since the adoption: `git revert --no-commit "+t.p.AdoptedCommit+"` marks the conflicts; restore the earlier text by hand, and commit it")
	}
	r.files = files
	return t.ready(ctx, t.repo, r.files, d)
}

// touches reports whether another patch to the same repository changes a package that this
// patch changes.
func (t *patchSubject) touches(other archive.ProposalRecord) bool {
	return other.Patch != nil && samePlace(t.p, other) && slices.ContainsFunc(other.Files, func(f archive.FileChange) bool {
		return slices.ContainsFunc(t.p.Files, func(ours archive.FileChange) bool { return path.Dir(ours.Path) == path.Dir(f.Path) })
	})
}
