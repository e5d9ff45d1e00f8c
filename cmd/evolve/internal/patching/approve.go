package patching

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/decide"
	"evolve/gates"
	"evolve/patch"
	"evolve/patch/quota"
)

// Done is the result of a decision.
type Done struct {
	Proposal archive.ProposalRecord
	// Later lists the adopted patches that build on the one rolled back, the latest
	// first.
	Later []string
}

// Approve adopts a patch. w must name the digest that was shown, nothing that the gates
// depended on may have changed, and no reviewer may have vetoed the patch. The decision
// is stored first; then the branch checked out in the target moves forward by one commit.
// After a crash between the two, the same call completes the adoption. If the target or
// its policy has changed, the patch is gated again first, without holding the archive.
func (d *Desk) Approve(ctx context.Context, id string, w decide.Word) (Done, error) {
	who, err := decide.Person(w.By)
	if err != nil {
		return Done{}, err
	}
	who.When = d.Now()
	// If only the base changed during the gates, the patch is gated once more.
	for range 2 {
		p, stale, err := d.decideOn(ctx, id, w, who)
		if err != nil || stale == nil {
			return Done{Proposal: p}, err
		}
		if p, err = d.renew(ctx, p, *stale); err != nil {
			return Done{Proposal: p}, err
		}
	}
	return Done{}, decide.Refuse("repeat the command when the target is at rest", "the target of %s moves faster than its gates run", strings.ToUpper(id))
}

// staleness describes what has changed since a patch was gated.
type staleness struct {
	target Target
	repo   *patch.Repository
	// head is the current commit of the target.
	head string
}

// decideOn does the part of an approval that needs the archive. If the patch is stale, it
// changes nothing and returns what is stale.
func (d *Desk) decideOn(ctx context.Context, id string, w decide.Word, who patch.Person) (p archive.ProposalRecord, stale *staleness, err error) {
	err = d.Archive(ctx, func(a *archive.Archive) (err error) {
		if p, err = find(ctx, a, id); err != nil {
			return err
		}
		t, err := d.targetOf(p)
		if err != nil {
			return err
		}
		repo, err := d.open(t)
		if err != nil {
			return err
		}
		if p.State != archive.Approved {
			if p, stale, err = d.allow(ctx, a, t, repo, p, w); err != nil || stale != nil {
				return err
			}
			if err := d.step(decide.StepDecided); err != nil {
				return err
			}
		} else if err := decide.Bound(ctx, a, p); err != nil {
			return err
		}
		p, stale, err = d.adopt(ctx, a, t, repo, p, who)
		return err
	})
	return p, stale, err
}

// allow checks that a patch may be approved and records the approval.
func (d *Desk) allow(ctx context.Context, a *archive.Archive, t Target, repo *patch.Repository, p archive.ProposalRecord, w decide.Word) (archive.ProposalRecord, *staleness, error) {
	if err := approvable(p, w); err != nil {
		return p, nil, err
	}
	if err := whole(repo, p); err != nil {
		return p, nil, err
	}
	if err := decide.Bound(ctx, a, p); err != nil {
		return p, nil, err
	}
	policy, err := t.policy()
	if err != nil {
		return p, nil, err
	}
	_, head, err := repo.Head()
	if err != nil {
		return p, nil, err
	}
	if head != p.Patch.BaseCommit || policy != p.Patch.Policy {
		return p, &staleness{target: t, repo: repo, head: head}, nil
	}
	if err := mayAdopt(ctx, a, d.Now()); err != nil {
		return p, nil, err
	}
	if err := ready(ctx, repo, p, Change(p)); err != nil {
		return p, nil, err
	}
	reason := w.Reason
	if w.OverrideReason != "" {
		reason = strings.TrimSpace(reason + " override: " + w.OverrideReason)
	}
	decision := archive.DecisionRecord{Proposal: p.ID, Action: "approve", By: w.By, Reason: reason, Time: d.Now(), Evidence: p.Patch.Digest}
	p.State, p.Decision = archive.Approved, brief(decision)
	if err := a.Decide(ctx, decision, p, decide.IntentOf(decision)); err != nil {
		return p, nil, fmt.Errorf("recording the approval: %w", err)
	}
	return p, nil, nil
}

// mayAdopt returns an error when the daily limit of adoptions is reached.
func mayAdopt(ctx context.Context, a *archive.Archive, now time.Time) error {
	list, err := past(ctx, a)
	if err != nil {
		return err
	}
	var soon *quota.TooSoonError
	if err := quota.CheckAdoption(list, now); errors.As(err, &soon) {
		return decide.Refuse("it waits; nothing of it changes by waiting", "%s", soon)
	} else if err != nil {
		return err
	}
	return nil
}

func approvable(p archive.ProposalRecord, w decide.Word) error {
	if err := decide.Foreign(p); err != nil {
		return err
	}
	if r := Vetoed(p); r != nil {
		return decide.Refuse("`evolve show "+p.ID+"` says why; propose the change again, or commit it by hand", "%s has vetoed %s", r.Reviewer, p.ID)
	}
	switch p.State {
	case archive.Awaiting:
		return nil
	case archive.HumanLane:
		if strings.TrimSpace(w.OverrideReason) == "" {
			return decide.Refuse("read the flagged gates with `evolve show "+p.ID+"`; then --override-reason says why it may pass", "a gate flagged %s for a person's eyes", p.ID)
		}
		return nil
	case archive.GateFailed, archive.Drafted, archive.Gated:
		return decide.Refuse("`evolve show "+p.ID+"` says which and why", "%s has not passed its gates", p.ID)
	}
	return decide.Refuse("`evolve show "+p.ID+"` tells its story", "%s is %s; it cannot be approved", p.ID, stateName(p.State))
}

// whole returns an error for an inconsistent record: the stored digest must be that of
// the stored fields, and the stored files must produce the stored tree.
func whole(repo *patch.Repository, p archive.ProposalRecord) error {
	tree, err := repo.Candidate(p.Patch.BaseCommit, Change(p))
	if err != nil {
		return fmt.Errorf("writing the patched tree: %w", err)
	}
	if tree != p.Patch.Tree || Digest(p) != p.Patch.Digest {
		return decide.Refuse("`evolve audit verify` and `evolve archive check` tell more; reject it", "%s is not what its gates have seen: its digest does not match", p.ID)
	}
	return nil
}

// renew gates a patch again after its target or its policy changed. It returns no error
// if the tree and all verdicts are the same as before. Otherwise it refuses, because a
// person has to read the new result. It also refuses, and so withdraws the approval, if
// the patch was approved and its commit was never made.
func (d *Desk) renew(ctx context.Context, p archive.ProposalRecord, s staleness) (archive.ProposalRecord, error) {
	mine, err := d.sole(p.ID)
	if err != nil {
		return p, err
	}
	defer mine.Release()
	now, err := d.regate(ctx, s, p)
	if err != nil {
		return now, err
	}
	hint := "look again with `evolve show " + p.ID + "`; it is " + stateName(now.State) + " now"
	if p.State == archive.Approved {
		return now, decide.Refuse(hint, "the target moved before the approval of %s was carried out", p.ID)
	}
	same := slices.EqualFunc(now.Gates, p.Gates, func(a, b archive.GateVerdict) bool { return a.Gate == b.Gate && a.Verdict == b.Verdict })
	if now.Patch.Tree == p.Patch.Tree && same {
		return now, nil
	}
	return now, decide.Refuse(hint, "%s was gated on %.12s and is stale: it was gated again on %.12s", p.ID, p.Patch.BaseCommit, s.head)
}

// regate rebases a patch on the current head of its target and runs the gates there.
func (d *Desk) regate(ctx context.Context, s staleness, was archive.ProposalRecord) (archive.ProposalRecord, error) {
	p := was
	brief := *was.Patch
	p.Patch = &brief
	conflicts, err := moveOnto(s.repo, s.head, &p)
	if err != nil {
		return p, err
	}
	if len(conflicts) > 0 {
		p.Ref, p.Commit = "", ""
		return d.file(ctx, p, was, func(ctx context.Context, a *archive.Archive) (archive.ProposalRecord, error) {
			return d.unappliable(ctx, a, p, entryRegate, changedSince(conflicts))
		})
	}
	return d.gate(ctx, s.target, p, was, entryRegate)
}

// ready refuses, before anything is recorded, an adoption that git would refuse later or
// would write to the working tree in another form than it is committed.
func ready(ctx context.Context, repo *patch.Repository, p archive.ProposalRecord, change []patch.File) error {
	branch, head, err := repo.Head()
	if err != nil {
		return err
	}
	if branch == "" {
		return decide.Refuse("check out the branch that should move, such as `git switch main`", "HEAD of %s is at no branch", p.Patch.Repository)
	}
	err = repo.MovableBranch(ctx, branch, head, change)
	var inUse *patch.CheckedOutError
	if errors.As(err, &inUse) && repo.Top() != "" {
		if dirty, _ := repo.Dirty(ctx, paths(p)); len(dirty) > 0 {
			return decide.Refuse("commit or restore them, then repeat the command", "not committed: %s", strings.Join(dirty, ", "))
		}
	}
	switch {
	case errors.Is(err, patch.ErrNoGit):
		return decide.Refuse("install git: it alone moves a checked-out tree safely", "git is not installed")
	case errors.As(err, &inUse):
		return decide.Refuse("settle that, then repeat the command", "%s", inUse)
	}
	return decide.Hindered(err)
}

// adopt makes the commit of an approved patch and stores the adoption. If the target has
// moved, it changes nothing and returns a staleness.
func (d *Desk) adopt(ctx context.Context, a *archive.Archive, t Target, repo *patch.Repository, p archive.ProposalRecord, who patch.Person) (archive.ProposalRecord, *staleness, error) {
	branch, head, err := repo.Head()
	if err != nil {
		return p, nil, err
	}
	there, err := holds(repo, head, Change(p), after)
	if err != nil {
		return p, nil, err
	}
	in := decide.IntentOf(archive.DecisionRecord{Proposal: p.ID, Action: "approve", By: p.Decision.By, Reason: p.Decision.Reason, Time: p.Decision.Time, Evidence: p.Patch.Digest})
	in.Base, in.Commit = head, head // an earlier attempt has made the commit
	var wrong error
	if !there {
		if head != p.Patch.BaseCommit {
			return p, &staleness{target: t, repo: repo, head: head}, nil
		}
		if err := ready(ctx, repo, p, Change(p)); err != nil {
			return p, nil, err
		}
		in, err = d.advance(ctx, a, forward{repo: repo, branch: branch, base: head, files: Change(p), tree: p.Patch.Tree}, in, who, func(audit string) string {
			return adoptionMessage(p, p.Decision.By, p.Decision.Reason, audit)
		})
		if wrong, err = split(err); err != nil {
			return p, nil, err
		}
	}
	if wrong != nil {
		in.Stage = archive.IntentDone
	}
	p, _, err = d.adopted(ctx, a, p, in, in.Commit)
	return p, nil, errors.Join(err, decide.Altered(ctx, a, archive.LedgerEntry{Time: d.Now(), Actor: robot}, wrong, p.ID))
}

// split separates an error about the files of a commit that was made (wrong) from one
// that prevented the commit (failed).
func split(err error) (wrong, failed error) {
	if errors.As(err, new(*patch.AlteredError)) {
		return err, nil
	}
	return nil, err
}

// adopted stores the adoption of a patch by a commit, with an intent for the remaining
// steps.
func (d *Desk) adopted(ctx context.Context, a *archive.Archive, p archive.ProposalRecord, in archive.Intent, commit string) (archive.ProposalRecord, archive.Intent, error) {
	in = d.next(in)
	in.Commit = commit
	p.State, p.AdoptedCommit, p.Decision.Commit = archive.Adopted, commit, commit
	err := d.settle(ctx, a, entryAdopted, p.Decision.By, p, map[string]any{
		"kind": p.Kind, "target": p.Patch.Target, "agent": p.Agent, "before": in.Base, "commit": commit, "digest": p.Patch.Digest,
	}, in)
	if err == nil {
		err = d.step(decide.StepSettled)
	}
	return p, in, err
}

// next returns the intent's next stage once its commit is stored; a finished one is
// returned unchanged.
func (d *Desk) next(in archive.Intent) archive.Intent {
	if in.Stage == archive.IntentDone {
		return in
	}
	return decide.Next(in, d.Program)
}

// forward is a change on top of a branch, with the resulting tree.
type forward struct {
	repo         *patch.Repository
	branch, base string
	files        []patch.File
	tree         string
}

// advance commits a change on top of a branch and moves the branch there, with its
// working tree if it is checked out. It stores the commit's name before the branch moves
// and returns the intent with it. If the error is an *[patch.AlteredError], the commit is
// on the branch.
func (d *Desk) advance(ctx context.Context, a *archive.Archive, w forward, in archive.Intent, who patch.Person, message func(audit string) string) (archive.Intent, error) {
	_, audit, err := a.LedgerHead(ctx)
	if err != nil {
		return in, fmt.Errorf("reading the ledger: %w", err)
	}
	text, err := decide.Attested(ctx, a, in.Proposal, message(audit))
	if err != nil {
		return in, err
	}
	commit, err := w.repo.Commit(w.base, w.files, text, who)
	if err != nil {
		return in, fmt.Errorf("committing: %w", err)
	}
	if err := d.step(decide.StepWritten); err != nil {
		return in, err
	}
	in.Branch, in.Base, in.Commit = w.branch, w.base, commit
	if err := a.PutIntent(ctx, in); err != nil {
		return in, fmt.Errorf("recording what is to be committed: %w", err)
	}
	if err := d.step(decide.StepIntended); err != nil {
		return in, err
	}
	subject, _, _ := strings.Cut(text, "\n")
	err = w.repo.Advance(ctx, patch.Move{Ref: w.branch, Old: w.base, New: commit, By: who, Reason: subject})
	var inUse *patch.CheckedOutError
	switch {
	case errors.As(err, &inUse):
		hint := "settle that, then repeat the command"
		if inUse.Command != "" {
			hint += "; it does what `" + inUse.Command + "` does"
		}
		return in, decide.Refuse(hint, "%s", inUse)
	case errors.Is(err, patch.ErrMoved):
		return in, decide.Refuse("repeat the command", "the target moved meanwhile")
	case err != nil:
		return in, fmt.Errorf("moving the branch: %w", err)
	}
	if err := d.step(decide.StepMoved); err != nil {
		return in, err
	}
	return in, w.repo.LandedBranch(ctx, w.branch, commit, w.tree, w.files)
}

func brief(d archive.DecisionRecord) *archive.DecisionBrief {
	return &archive.DecisionBrief{Action: d.Action, By: d.By, Reason: d.Reason, Time: d.Time, Commit: d.Commit}
}

// stateName returns a state as shown to people.
func stateName(s archive.ProposalState) string { return strings.ReplaceAll(string(s), "_", " ") }

// standing reports whether the verdicts let a change pass, and returns the first that
// does not.
func standing(verdicts []archive.GateVerdict) (archive.GateVerdict, bool) {
	for _, v := range verdicts {
		if v.Verdict != string(gates.Passed) && v.Verdict != string(gates.Flagged) {
			return v, false
		}
	}
	return archive.GateVerdict{}, len(verdicts) > 0
}
