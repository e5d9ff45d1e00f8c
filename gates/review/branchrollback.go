package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/patch"
)

// rollbackByBranch proposes to roll back an adoption that was made by a merge. It pushes
// a branch whose commit reverts the adoption; merging that branch is the rollback. The
// rollback of a patch must first pass the gates for a patch.
func (rev *Reviewer) rollbackByBranch(ctx context.Context, p archive.ProposalRecord, d Decision) (Done, error) {
	var r *reversal
	var g *branchGroup
	done := func() Done { out := r.done(); out.Branch = branchName(p.ID) + "-rollback"; return out }
	err := rev.with(ctx, func(s *session) (err error) {
		r = &reversal{proposal: p, subject: s.subjectOf(p), files: patch.Reverse(files(p))}
		if err := foreign(p); err != nil {
			return err
		}
		if err := r.subject.resolve(); err != nil {
			return err
		}
		return unaltered(ctx, s.store, p)
	})
	if err != nil {
		return Done{Proposal: p}, err
	}
	timed, cancel := context.WithTimeout(ctx, branchTime)
	defer cancel()
	if g, err = rev.askRemote(timed, []archive.ProposalRecord{p}); err != nil {
		return Done{Proposal: p}, err
	}
	if err := g.reverseOnto(r); err != nil {
		return done(), err
	}
	if r.gated() {
		held, err := rev.claimGates(p.ID)
		if err != nil {
			return done(), err
		}
		defer held.Release()
		if err := rev.gateReversal(ctx, r); err != nil {
			return done(), err
		}
	} else if err := rev.with(ctx, func(s *session) error {
		f := &fileSubject{session: s, p: p}
		if err := f.resolve(); err != nil {
			return err
		}
		return f.restorable(ctx, r.files)
	}); err != nil {
		return done(), err
	}
	return done(), g.pushRollback(ctx, r, d)
}

// reverseOnto computes the changes that a reversal makes to the remote's base branch.
func (g *branchGroup) reverseOnto(r *reversal) (err error) {
	p := r.proposal
	r.head = g.tip
	made, conflicts, err := backOnto(g.repo, g.tip, r.files)
	switch {
	case err != nil:
		return err
	case len(conflicts) > 0:
		return changedSince(p, conflicts, nil, "revert it by hand on a branch: `git revert "+p.AdoptedCommit+"`")
	}
	r.files = made
	return nil
}

// restorable refuses a rollback of a config, a tool, a skill or memories if the workspace
// would not load afterwards.
func (f *fileSubject) restorable(ctx context.Context, back []patch.File) error {
	if f.p.Kind == archive.KindTool || f.p.Kind == archive.KindMemory {
		return f.restoresWritten(ctx, back)
	}
	if restored, err := f.reload(back); err != nil || restored.ID() != f.p.Champion {
		return Refuse("restore config.yaml and STRATEGY.md by hand from the commit before "+f.p.AdoptedCommit,
			"the files from before the adoption of %s do not produce the earlier champion's config", f.p.ID)
	}
	return nil
}

// pushRollback writes the commit of a reversal and pushes it as a branch.
func (g *branchGroup) pushRollback(ctx context.Context, r *reversal, d Decision) error {
	p, name := r.proposal, branchName(r.proposal.ID)+"-rollback"
	var commit string
	err := g.with(ctx, func(s *session) error {
		_, audit, err := s.store.LedgerHead(ctx)
		if err != nil {
			return fmt.Errorf("reading the ledger: %w", err)
		}
		body := "Merging this branch rolls back an adopted proposal; evolve records the rollback in\nits ledger. The rollback was requested by:\n\n"
		message, err := s.attested(ctx, p.ID, inertMessage("evolve: roll back "+whatOf(p)+" ("+p.ID+")", body, d.By+"\n"+d.Reason,
			trailers{{"Evolve-Rollback", p.ID}, {"Evolve-Reverts", p.AdoptedCommit}, {trailerAudit, audit}}))
		if err == nil {
			commit, err = g.repo.Commit(g.tip, r.files, message, robotAt(s.Now()))
		}
		return err
	})
	if err != nil {
		return err
	}
	timed, cancel := context.WithTimeout(ctx, branchTime)
	defer cancel()
	switch there := g.tips.Branches[name]; {
	case there == "":
		if err := g.remote.Push(timed, name, commit, ""); err != nil {
			return err
		}
	case slices.Equal(g.repo.Parents(there), g.repo.Parents(commit)): // an earlier call pushed the rollback
		commit = there
	default:
		return Refuse("merge or delete it there first", "%s already has a branch %s", p.Branch.Remote, name)
	}
	err = g.retryLocked(ctx, func(ctx context.Context, s *session) error {
		_, err := s.note(ctx, entryRevert, d.By, p.ID, map[string]string{"remote": p.Branch.Remote, "branch": name, "base": g.base, "commit": commit, "reason": strings.TrimSpace(d.Reason)})
		return err
	})
	if err != nil || g.Branching.Open == nil {
		return err
	}
	return g.openPullRequest(timed, p.ID, name, commit)
}
