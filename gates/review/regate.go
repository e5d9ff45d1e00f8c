package review

import (
	"context"
	"slices"

	"evolve/archive"
	"evolve/gates"
)

// renew gates a patch again after its target or the policy changed. It returns no error if
// the tree and all verdicts are the same as before. Otherwise it refuses, because a person
// must read the new result. If the patch was approved but its commit was never made, it
// always refuses, and the approval no longer stands.
func (rev *Reviewer) renew(ctx context.Context, p archive.ProposalRecord, stale *staleError) (archive.ProposalRecord, error) {
	held, err := rev.claimGates(p.ID)
	if err != nil {
		return p, err
	}
	defer held.Release()
	now, err := rev.regate(ctx, stale, p)
	if err != nil {
		return now, err
	}
	hint := "look at the proposal again with `evolve show " + p.ID + "`: it is now " + now.State.Name()
	if p.State == archive.Approved {
		return now, Refuse(hint, "the target changed before the approval of %s was carried out", p.ID)
	}
	same := slices.EqualFunc(now.Gates, p.Gates, func(a, b archive.GateVerdict) bool { return a.Gate == b.Gate && a.Verdict == b.Verdict })
	if now.Patch.Tree == p.Patch.Tree && same {
		return now, nil
	}
	return now, Refuse(hint, "the gates of %s, which ran on %.12s, were out of date; they ran again on %.12s", p.ID, p.Patch.BaseCommit, stale.head)
}

// regate rebases a patch onto the current head of its target and runs the gates there.
func (rev *Reviewer) regate(ctx context.Context, stale *staleError, was archive.ProposalRecord) (archive.ProposalRecord, error) {
	p := was
	brief := *was.Patch
	p.Patch = &brief
	conflicts, err := moveOnto(stale.repo, stale.head, &p)
	if err != nil {
		return p, err
	}
	if len(conflicts) > 0 {
		p.Ref, p.Commit = "", ""
		return rev.recordGates(ctx, p, was, func(ctx context.Context, s *session) (archive.ProposalRecord, error) {
			return s.unappliable(ctx, p, entryRegate, conflictsWith(conflicts))
		})
	}
	return rev.gate(ctx, stale.target, p, was, entryRegate)
}

// allPass reports whether the verdicts permit a change, and returns the first verdict that
// does not.
func allPass(verdicts []archive.GateVerdict) (archive.GateVerdict, bool) {
	for _, v := range verdicts {
		if v.Verdict != string(gates.Passed) && v.Verdict != string(gates.Flagged) {
			return v, false
		}
	}
	return archive.GateVerdict{}, len(verdicts) > 0
}
