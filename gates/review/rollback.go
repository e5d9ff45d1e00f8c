package review

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/patch"
)

// Rollback reverts an adoption with a new commit. It restores the files of a config, a tool
// or a skill to their state before the adoption. It does the same with the files of a
// patch, but in a file that has changed since the adoption it reverses only the passages
// that the patch changed; the rollback of a patch must pass the gates before it is
// committed. If a rollback is not possible, Rollback names the changed files and changes
// nothing. It also refuses if a change that was adopted later has put a file into its state
// before or after this adoption, because that state belongs to the later change. An
// adoption by a merge is reverted by a merge: Rollback pushes a branch for it, which is
// named in Done.
func (rev *Reviewer) Rollback(ctx context.Context, id string, d Decision) (Done, error) {
	who, err := rev.person(d.By)
	if err != nil {
		return Done{}, err
	}
	if rev.Branching != nil {
		if p, err := rev.Find(ctx, id); err != nil || mergedAs(p) != nil {
			if err != nil {
				return Done{}, err
			}
			return rev.rollbackByBranch(ctx, p, d)
		}
	}
	var r *reversal
	err = rev.with(ctx, func(s *session) (err error) {
		if r, err = s.plan(ctx, id, d); err == nil && !r.gated() {
			err = s.revert(ctx, r, d, who)
		}
		return err
	})
	if err != nil || !r.gated() {
		return r.done(), err
	}
	held, err := rev.claimGates(r.proposal.ID)
	if err != nil {
		return r.done(), err
	}
	defer held.Release()
	if err := rev.gateReversal(ctx, r); err != nil {
		return r.done(), err
	}
	if ctx.Err() != nil {
		return r.done(), context.Cause(ctx)
	}
	err = rev.retryLocked(ctx, func(ctx context.Context, s *session) error {
		now, err := s.plan(ctx, id, d)
		if err != nil {
			return err
		}
		if now.head != r.head {
			return Refuse("repeat the command", "the target's HEAD changed while the gates were checking the rollback of %s", r.proposal.ID)
		}
		now.digest, now.tree, now.later = r.digest, r.tree, r.later
		r = now
		return s.revert(ctx, r, d, who)
	})
	return r.done(), err
}

// reversal is the planned reversal of an adoption.
type reversal struct {
	proposal archive.ProposalRecord
	subject  subject
	// files is the change that reverses the proposal. there reports whether HEAD already
	// has the result of that change.
	files []patch.File
	there bool
	// digest is the digest of the proposal's evidence or, once the gates have run, a
	// digest that covers the gates' verdicts on the reversal.
	digest string

	// The remaining fields are set only for a patch: the commit on which the patch is
	// reversed, later adoptions, and the resulting tree, which the gates set.
	head  string
	later []string
	tree  string
}

// gated reports whether the reversal must pass gates before it is committed.
func (r *reversal) gated() bool { return r.proposal.Patch != nil && !r.there }

// done returns the result of the rollback as far as it has been determined; r may be nil.
func (r *reversal) done() Done {
	if r == nil {
		return Done{}
	}
	return Done{Proposal: r.proposal, Later: r.later, Restored: r.there}
}

// plan computes the reversal of a proposal, or refuses the rollback.
func (s *session) plan(ctx context.Context, id string, d Decision) (*reversal, error) {
	p, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	r := &reversal{proposal: p, subject: s.subjectOf(p), digest: evidenceOf(p), files: patch.Reverse(files(p))}
	if err := Reversible(p); err != nil {
		return r, err
	}
	if err := r.subject.resolve(); err != nil {
		return r, err
	}
	if err := unaltered(ctx, s.store, p); err != nil {
		return r, err
	}
	if err := s.notReplaced(ctx, r); err != nil {
		return r, err
	}
	return r, r.subject.reversible(ctx, r, d)
}

// Reversible refuses a rollback for reasons that the record of the proposal shows: the
// proposal is not adopted, was adopted by another archive, or is about a level of autonomy.
func Reversible(p archive.ProposalRecord) error {
	if p.State != archive.Adopted {
		return Refuse("`evolve proposals --all` also lists adopted proposals", "%s is %s; only an adopted proposal can be rolled back", p.ID, p.State.Name())
	}
	if err := foreign(p); err != nil {
		return err
	}
	if p.Kind == archive.KindAutonomy {
		return Refuse(lowerHint(p.Agent), "%s changed a level of autonomy, so it has no commit to roll back", p.ID)
	}
	return nil
}

// notReplaced records in r whether HEAD already has the result of the reversal. It refuses
// the rollback if a file is exactly as it was before or after the proposal and a change
// that was adopted later wrote that file: the rollback would undo the later change
// unnoticed, or do nothing.
func (s *session) notReplaced(ctx context.Context, r *reversal) error {
	p := r.proposal
	repo, err := r.subject.repository()
	if err != nil {
		return err
	}
	content := s.onDisk
	if repo != nil {
		_, head, err := repo.Head()
		if err == nil {
			r.there, err = holds(repo, head, r.files)
		}
		if err != nil {
			return err
		}
		content = func(name string) ([]byte, error) { return repo.File(head, name) }
	}
	var exact []string
	for _, f := range p.Files {
		have, err := content(f.Path)
		if err != nil {
			return fmt.Errorf("reading %s: %w", f.Path, err)
		}
		if same(have, f.Old) || same(have, f.New) {
			exact = append(exact, f.Path)
		}
	}
	later, err := s.adoptedLater(ctx, p, func(other archive.ProposalRecord) bool {
		return samePlace(p, other) && slices.ContainsFunc(paths(other), func(name string) bool { return slices.Contains(exact, name) })
	})
	if err != nil || len(later) == 0 {
		return err
	}
	return changedSince(p, exact, later, "")
}

// samePlace reports whether two proposals change files in the same repository, or both
// change files in the workspace.
func samePlace(a, b archive.ProposalRecord) bool {
	if a.Patch == nil || b.Patch == nil {
		return a.Patch == nil && b.Patch == nil
	}
	return a.Patch.Repository == b.Patch.Repository
}

// revert carries out a reversal.
func (s *session) revert(ctx context.Context, r *reversal, d Decision, who patch.Person) error {
	p := r.proposal
	record := archive.DecisionRecord{Proposal: p.ID, Action: "rollback", By: d.By, Reason: d.Reason, Time: s.Now(), Evidence: r.digest}
	if err := s.store.PutIntent(ctx, IntentOf(record)); err != nil {
		return fmt.Errorf("recording the intended rollback: %w", err)
	}
	if err := s.step(StepDecided); err != nil {
		return err
	}
	return s.carryOut(ctx, &move{proposal: p, subject: r.subject, record: record, change: r.files, tree: r.tree, who: who, decision: d}, func(in archive.Intent) (err error) {
		r.proposal, _, err = s.recordRollback(ctx, p, in, in.Commit, nil)
		return err
	})
}

// recordRollback stores the rollback of an adoption by a commit, together with an intent
// for the remaining steps. If the rollback was made by a merge elsewhere, merge describes
// that merge.
func (s *session) recordRollback(ctx context.Context, p archive.ProposalRecord, in archive.Intent, commit string, merge *archive.MergeBrief) (archive.ProposalRecord, archive.Intent, error) {
	in = s.next(in)
	in.Commit = commit
	record := archive.DecisionRecord{Proposal: in.Proposal, Action: in.Action, By: in.By, Reason: in.Reason, Time: in.Time, Commit: in.Commit, Evidence: in.Evidence, Merge: merge}
	p.State, p.Decision = archive.RolledBack, brief(record)
	if err := s.store.Decide(ctx, record, p, in); err != nil {
		return p, in, fmt.Errorf("recording the rollback: %w", err)
	}
	return p, in, s.step(StepSettled)
}

// adoptedLater lists the adopted proposals that, according to the ledger, were adopted
// after p and for which touches returns true. The latest comes first.
func (s *session) adoptedLater(ctx context.Context, p archive.ProposalRecord, touches func(archive.ProposalRecord) bool) ([]string, error) {
	at := map[string]int64{}
	for e, err := range s.store.Ledger(ctx, 1) {
		if err != nil {
			return nil, fmt.Errorf("reading the ledger: %w", err)
		}
		if e.Kind == entryAdopted {
			at[e.Subject] = e.Seq
		}
	}
	found, err := proposals(ctx, s.store, func(other archive.ProposalRecord) bool {
		return other.State == archive.Adopted && at[other.ID] > at[p.ID] && touches(other)
	})
	slices.SortFunc(found, func(a, b archive.ProposalRecord) int { return cmp.Compare(at[b.ID], at[a.ID]) })
	out := make([]string, len(found))
	for i, f := range found {
		out[i] = f.ID
	}
	return out, err
}

// changedSince refuses a rollback because files were modified after the adoption; changed
// lists these files.
func changedSince(p archive.ProposalRecord, changed, later []string, hint string) error {
	if len(later) > 0 {
		hint = "roll these back first: " + join(later)
	}
	return Refuse(hint, "these files changed after %s was adopted: %s", p.ID, join(changed))
}
