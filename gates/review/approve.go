package review

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"evolve/archive"
	"evolve/patch"
)

// Decision is a person's decision on a proposal.
type Decision struct {
	// By has the form "Name" or "Name <mail>".
	By     string
	Reason string
	// OverrideReason is the reason for approving a proposal that a gate flagged; without
	// it, such a proposal cannot be approved.
	OverrideReason string
	// Initial lists the files that were shown to the person as the content of the first
	// commit of a new repository ([Reviewer.InitialFiles]). If it is empty, no repository
	// is created.
	Initial []string
}

// Done is the result of a decision.
type Done struct {
	Proposal archive.ProposalRecord
	// Later lists the adopted patches that build on the patch that was rolled back, with
	// the latest first.
	Later []string
	// Restored reports whether the files had already been restored to their state before
	// the adoption, so that the rollback's commit changes no files.
	Restored bool
	// Branch is the branch that proposes a rollback at the remote; it is empty if the
	// rollback was committed here.
	Branch string
}

// Approve adopts a proposal. Nothing on which the proposal depends may have changed, its
// gates must have passed, and no agent may have vetoed it. The decision is stored first;
// then the checked-out branch moves forward by one commit. After a crash between the two
// steps, the same call completes the adoption. The gates of a config, tool or skill always
// run again at this point. Those of a patch run again only if its target or the target's
// terms have changed; the archive is not held while they run.
func (rev *Reviewer) Approve(ctx context.Context, id string, d Decision) (Done, error) {
	who, err := rev.person(d.By)
	if err != nil {
		return Done{}, err
	}
	// If only the base changed while the gates ran, the patch is gated once more.
	for range 2 {
		p, err := inSession(ctx, rev, func(s *session) (archive.ProposalRecord, error) { return s.approve(ctx, id, d, who) })
		var stale *staleError
		if !errors.As(err, &stale) {
			return Done{Proposal: p}, err
		}
		if p, err = rev.renew(ctx, p, stale); err != nil {
			return Done{Proposal: p}, err
		}
	}
	return Done{}, Refuse("repeat the command when no commits are being added to the target", "the target of %s received new commits every time its gates ran", strings.ToUpper(id))
}

// approve carries out the part of an approval that needs the archive.
func (s *session) approve(ctx context.Context, id string, d Decision, who patch.Person) (archive.ProposalRecord, error) {
	p, err := s.find(ctx, id)
	if err == nil && p.Kind == archive.KindAutonomy {
		return s.approveAutonomy(ctx, p, d)
	}
	if err != nil {
		return p, err
	}
	if err := s.MergeOnly(p); err != nil {
		return p, err
	}
	sub := s.subjectOf(p)
	if err := sub.resolve(); err != nil {
		return p, err
	}
	if p.State == archive.Approved {
		err = Bound(ctx, s.store, p)
	} else if p, err = s.allow(ctx, sub, p, d); err == nil {
		err = s.step(StepDecided)
	}
	if err != nil {
		return p, err
	}
	m := &move{proposal: p, subject: sub, record: approvalOf(p), change: files(p), who: who, decision: d}
	if p.Patch != nil {
		m.tree = p.Patch.Tree
	}
	err = s.carryOut(ctx, m, func(in archive.Intent) error {
		p, _, err = s.adopted(ctx, p, in, in.Commit)
		return err
	})
	return p, err
}

// allow checks that a proposal may be approved and records the approval.
func (s *session) allow(ctx context.Context, sub subject, p archive.ProposalRecord, d Decision) (archive.ProposalRecord, error) {
	if err := approvable(p, d); err != nil {
		return p, err
	}
	if err := sub.adoptable(ctx, &p, d); err != nil {
		return p, err
	}
	repo, err := sub.repository()
	if err != nil {
		return p, err
	}
	if err := sub.ready(ctx, repo, files(p), d); err != nil {
		return p, err
	}
	reason := d.Reason
	if d.OverrideReason != "" {
		reason = strings.TrimSpace(reason + " override: " + d.OverrideReason)
	}
	record := archive.DecisionRecord{Proposal: p.ID, Action: "approve", By: d.By, Reason: reason, Time: s.Now(), Evidence: evidenceOf(p)}
	p.State, p.Decision = archive.Approved, brief(record)
	if err := s.store.Decide(ctx, record, p, IntentOf(record)); err != nil {
		return p, fmt.Errorf("recording the approval: %w", err)
	}
	return p, nil
}

// commitName matches the full name of a commit. An imported proposal can hold any text
// where a commit name belongs.
var commitName = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// foreign refuses decisions on imported drafts, which must first be measured or gated here,
// and on imported adoptions.
func foreign(p archive.ProposalRecord) error {
	switch {
	case p.Imported == "":
		return nil
	case p.State == archive.Drafted && p.OfConfig():
		return Refuse("`evolve run` measures its variant here, and proposes the variant once it is confirmed", "%s was imported: it was not measured here, and its gates did not run here", p.ID)
	case p.State == archive.Drafted && p.Patch != nil && p.Patch.Named:
		return Refuse("`evolve run` runs its gates here", "%s was imported: its gates did not run here", p.ID)
	case p.State == archive.Drafted:
		return Refuse("reject the proposal and propose the change here, so that its gates run", "%s was imported: its gates did not run here", p.ID)
	case p.State == archive.Adopted:
		hint := "revert the proposal with git: `git log --grep 'Evolve-Proposal: " + p.ID + "'` finds the commit if this repository contains it, and `git revert COMMIT` reverts it"
		if commitName.MatchString(p.AdoptedCommit) {
			hint = "revert the proposal with git: `git revert " + p.AdoptedCommit + "`"
		}
		return Refuse(hint, "%s was imported: the ledger of this workspace does not record its adoption", p.ID)
	}
	return nil
}

// approvable refuses a proposal whose state does not permit approval.
func approvable(p archive.ProposalRecord, d Decision) error {
	if err := foreign(p); err != nil {
		return err
	}
	if r := vetoed(p); r != nil {
		return Refuse("`evolve show "+p.ID+"` shows why; propose the change again, or commit it by hand", "%s has vetoed %s", r.Reviewer, p.ID)
	}
	switch p.State {
	case archive.Awaiting:
		return nil
	case archive.HumanLane:
		if !d.overrides() {
			return Refuse("read the flagged gates with `evolve show "+p.ID+"`; then give --override-reason",
				"a gate flagged %s for a person to decide", p.ID)
		}
		return nil
	case archive.GateFailed, archive.Drafted, archive.Gated:
		return Refuse("`evolve show "+p.ID+"` lists them with their reasons", "%s has not passed its gates", p.ID)
	}
	return Refuse("`evolve show "+p.ID+"` shows its history", "%s is %s; it cannot be approved", p.ID, p.State.Name())
}

// overrides reports whether the decision lets a flagged proposal pass.
func (d Decision) overrides() bool { return strings.TrimSpace(d.OverrideReason) != "" }

// hindered turns a *patch.HinderedError into a refusal and returns any other error
// unchanged.
func hindered(err error) error {
	var hindered *patch.HinderedError
	if errors.As(err, &hindered) {
		return &RefusedError{Text: hindered.Why, Hint: hindered.Hint, err: err}
	}
	return err
}

// adopted stores a proposal as adopted by the given commit, together with the intent for
// the remaining steps.
func (s *session) adopted(ctx context.Context, p archive.ProposalRecord, in archive.Intent, commit string) (archive.ProposalRecord, archive.Intent, error) {
	in = s.next(in)
	in.Commit = commit
	p.State, p.AdoptedCommit = archive.Adopted, commit
	actor, data := robot, map[string]any{"commit": commit, "variant": string(p.Variant)}
	if p.Decision != nil {
		p.Decision.Commit = commit
	}
	if p.Patch != nil {
		actor, data = p.Decision.By, map[string]any{
			"kind": p.Kind, "target": p.Patch.Target, "agent": p.Agent, "before": in.Base, "commit": commit, "digest": p.Patch.Digest,
		}
	}
	err := s.record(ctx, p, entryAdopted, actor, data, in)
	if err == nil {
		err = s.step(StepSettled)
	}
	return p, in, err
}

// next returns an intent advanced to the stage that follows the storing of its commit. It
// returns a finished intent unchanged.
func (rev *Reviewer) next(in archive.Intent) archive.Intent {
	if in.Stage == archive.IntentDone {
		return in
	}
	in.Stage = archive.IntentDone
	if len(rev.Program) > 0 {
		in.Stage = archive.IntentAfter
	}
	return in
}

// approvalOf returns the approval stored in a proposal's record.
func approvalOf(p archive.ProposalRecord) archive.DecisionRecord {
	d := archive.DecisionRecord{Proposal: p.ID, Action: "approve", Evidence: evidenceOf(p)}
	if p.Decision != nil {
		d.By, d.Reason, d.Time = p.Decision.By, p.Decision.Reason, p.Decision.Time
	}
	return d
}

func brief(d archive.DecisionRecord) *archive.DecisionBrief {
	return &archive.DecisionBrief{Action: d.Action, By: d.By, Reason: d.Reason, Time: d.Time, Commit: d.Commit, Merge: d.Merge}
}
