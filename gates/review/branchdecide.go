package review

import (
	"context"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/patch"
)

// noticeMerge records a merge at the remote as the approval of a proposal. If the proposal
// was meanwhile rejected here, it stays rejected: noticeMerge only adds an entry to the
// ledger, and a person must revert the merge if it was a mistake.
func (g *branchGroup) noticeMerge(ctx context.Context, p *archive.ProposalRecord, commit string, state *BranchState) error {
	m, by, err := g.mergeBrief(*p, commit, files(*p), onto)
	if err == nil {
		err = g.tellHow(*p, m)
	}
	if err != nil {
		return err
	}
	state.Commit, state.By = commit, by
	if len(m.Altered) > 0 {
		state.Note = "merged with other changes in " + join(m.Altered)
	}
	return g.retryLocked(ctx, func(ctx context.Context, s *session) error {
		now, err := s.find(ctx, p.ID)
		if err != nil {
			return err
		}
		switch now.State {
		case archive.Approved, archive.Adopted, archive.RolledBack: // another process was faster
			*p = now
			return nil
		case archive.Rejected:
			state.Note = fmt.Sprintf("the proposal was rejected here and then merged into %s on %s as %.12s by %s: the ledger keeps the rejection; revert the merge there if it was a mistake", m.Base, m.Remote, commit, by)
			b := *now.Branch
			b.Over, b.Against = true, commit
			now.Branch, *p = &b, now
			if _, err := s.note(ctx, entryConflict, robot, now.ID, m); err != nil {
				return err
			}
			return s.store.PutProposal(ctx, now)
		}
		if err := unaltered(ctx, s.store, now); err != nil {
			return err
		}
		record := archive.DecisionRecord{
			Proposal: now.ID, Action: "approve", By: by, Reason: fmt.Sprintf("merged into %s on %s", m.Base, m.Remote),
			Time: s.Now(), Commit: commit, Evidence: evidenceOf(now), Merge: m,
		}
		in := IntentOf(record)
		in.Branch, in.Base, in.Commit = g.remote.Tracking(m.Base), g.rests(now), commit
		now.State, now.Decision = archive.Approved, brief(record)
		if err := s.store.Decide(ctx, record, now, in); err != nil {
			return fmt.Errorf("recording the merge: %w", err)
		}
		if err := s.step(StepDecided); err != nil {
			return err
		}
		state.Did = "merged"
		*p, _, err = s.adopted(ctx, now, in, commit)
		return err
	})
}

// tellHow records in m how the merge was found, unless the history, the message or the
// change itself identifies it as the merge.
func (g *branchGroup) tellHow(p archive.ProposalRecord, m *archive.MergeBrief) error {
	if found, err := isMerge(g.repo, m.Commit, p, g.archiveID); err != nil || found {
		return err
	}
	if g.Branching.Merged[p.ID] != "" {
		m.Named = true
		return nil
	}
	var err error
	m.Tip, err = g.moved(p)
	return err
}

// unexplained returns the first commit of the base branch that follows the proposal's base,
// changes files of the proposal, and is not the recorded adoption or rollback of a
// proposal; "" if there is none.
func (g *branchGroup) unexplained(ctx context.Context, s *session, p archive.ProposalRecord) (string, error) {
	list, err := g.repo.FirstParents(ctx, g.rests(p), g.tip, paths(p)...)
	if err != nil || len(list) == 0 {
		return "", err
	}
	others, err := proposals(ctx, s.store, func(o archive.ProposalRecord) bool { return o.AdoptedCommit != "" })
	if err != nil {
		return "", err
	}
	for _, commit := range list {
		if !slices.ContainsFunc(others, func(o archive.ProposalRecord) bool {
			return o.AdoptedCommit == commit || o.Decision != nil && o.Decision.Commit == commit
		}) {
			return commit, nil
		}
	}
	return "", nil
}

// noticeClosing records the deletion of a proposal's branch at the remote as the proposal's
// rejection. It returns an error if the remote does not have the commit on which the
// proposal is based, because the remote is then another repository or its history was
// rewritten. It also returns an error if the base branch has changed the same files since:
// the branch may have been merged together with other changes, so a person must decide.
func (g *branchGroup) noticeClosing(ctx context.Context, p *archive.ProposalRecord, state *BranchState) error {
	base := g.rests(*p)
	if in, err := g.repo.Contains(ctx, g.tip, base); err != nil {
		return err
	} else if !in {
		return unpushable(fmt.Sprintf("its branch is gone, and %s on %s does not contain the commit %.12s on which the proposal is based: the repository is a different one, or its history was rewritten", g.base, p.Branch.Remote, base))
	}
	state.By = unknownAt(p.Branch.Remote)
	return g.retryLocked(ctx, func(ctx context.Context, s *session) error {
		now, err := s.find(ctx, p.ID)
		if err != nil {
			return err
		}
		if !awaits(now) { // another process was faster
			*p = now
			return nil
		}
		if commit, err := g.unexplained(ctx, s, now); err != nil {
			return err
		} else if commit != "" {
			return unpushable(fmt.Sprintf("its branch is gone, and commit %.12s of %s changes the same files: if that commit also merges the proposal, `evolve adopt sync --merged %s=%[1]s` records the merge; if not, use `evolve reject %[3]s`", commit, g.base, now.ID))
		}
		if err := unaltered(ctx, s.store, now); err != nil {
			return err
		}
		record := archive.DecisionRecord{
			Proposal: now.ID, Action: "reject", By: state.By, Reason: fmt.Sprintf("its branch %s was deleted on %s without a merge", now.Branch.Name, now.Branch.Remote),
			Time: s.Now(), Evidence: evidenceOf(now),
			Merge: &archive.MergeBrief{Remote: now.Branch.Remote, Branch: now.Branch.Name, Base: g.base},
		}
		b := *now.Branch
		b.Over, b.Trouble = true, ""
		now.Branch, now.State, now.Decision = &b, archive.Rejected, brief(record)
		if err := s.store.Decide(ctx, record, now); err != nil {
			return fmt.Errorf("recording the rejection: %w", err)
		}
		*p, state.Did = now, "closed"
		return nil
	})
}

// noticeRevert looks for a commit on the base branch that reverts a merged proposal. If
// there is one, it records that commit as the proposal's rollback.
func (g *branchGroup) noticeRevert(ctx context.Context, p *archive.ProposalRecord, state *BranchState) error {
	state.Commit = p.AdoptedCommit
	if there, err := holds(g.repo, g.tip, files(*p)); err != nil || there {
		return err
	}
	commit, err := g.revert(ctx, *p)
	if err != nil || commit == "" {
		return err
	}
	m, by, err := g.mergeBrief(*p, commit, patch.Reverse(files(*p)), backOnto)
	if err != nil {
		return err
	}
	state.Commit, state.By = commit, by
	return g.retryLocked(ctx, func(ctx context.Context, s *session) error {
		now, err := s.find(ctx, p.ID)
		if err != nil {
			return err
		}
		if now.State != archive.Adopted { // another process was faster
			*p = now
			return nil
		}
		if err := unaltered(ctx, s.store, now); err != nil {
			return err
		}
		in := archive.Intent{Proposal: now.ID, Action: "rollback", By: by, Reason: fmt.Sprintf("reverted in %s on %s", m.Base, m.Remote), Evidence: evidenceOf(now), Time: s.Now()}
		*p, _, err = s.recordRollback(ctx, now, in, commit, m)
		if err == nil {
			state.Did = "reverted"
		}
		return err
	})
}
