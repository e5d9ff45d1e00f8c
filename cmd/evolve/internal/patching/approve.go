package patching

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/cmd/evolve/internal/decide"
	"evolve/gates"
	"evolve/patch"
	"evolve/patch/quota"
)

// Done is what a decision came to.
type Done struct {
	Proposal archive.ProposalRecord
	// Later are adopted patches that build on what was taken back, the latest first.
	Later []string
	// After is what came of the operator's program; nil when there is none.
	After *After
}

// Approve adopts a patch: its digest must be the one that was shown, nothing that it
// was gated on may have moved, and no reviewer may have vetoed it. The decision is
// stored first, and then the branch that the target has checked out moves forward by
// one commit. Should the machine die between the two, the same call finishes it.
func (d *Desk) Approve(ctx context.Context, id string, w decide.Word) (Done, error) {
	p, err := d.Find(ctx, id)
	if err != nil {
		return Done{Proposal: p}, err
	}
	who, err := decide.Person(w.By)
	if err != nil {
		return Done{Proposal: p}, err
	}
	who.When = d.Now()
	t, err := d.targetOf(p)
	if err != nil {
		return Done{Proposal: p}, err
	}
	repo, err := d.open(t)
	if err != nil {
		return Done{Proposal: p}, err
	}
	if p.State != archive.Approved {
		if p, err = d.allow(ctx, t, repo, p, w); err != nil {
			return Done{Proposal: p}, err
		}
		if err := d.step("approved"); err != nil {
			return Done{Proposal: p}, err
		}
	}
	if p, err = d.adopt(ctx, t, repo, p, who); err != nil {
		return Done{Proposal: p}, err
	}
	return Done{Proposal: p, After: d.after(ctx, t)}, nil
}

// allow records the approval of a patch that may be approved.
func (d *Desk) allow(ctx context.Context, t Target, repo *patch.Repository, p archive.ProposalRecord, w decide.Word) (archive.ProposalRecord, error) {
	if err := approvable(p, w); err != nil {
		return p, err
	}
	if err := whole(repo, p); err != nil {
		return p, err
	}
	p, err := d.fresh(ctx, t, repo, p)
	if err != nil {
		return p, err
	}
	past, err := d.past(ctx)
	if err != nil {
		return p, err
	}
	var soon *quota.TooSoonError
	if err := quota.CheckAdoption(past, d.Now()); errors.As(err, &soon) {
		return p, decide.Refuse("it waits; nothing of it changes by waiting", "%s", soon)
	} else if err != nil {
		return p, err
	}
	if err := ready(ctx, repo, p); err != nil {
		return p, err
	}
	reason := w.Reason
	if w.OverrideReason != "" {
		reason = strings.TrimSpace(reason + " override: " + w.OverrideReason)
	}
	decision := archive.DecisionRecord{Proposal: p.ID, Action: "approve", By: w.By, Reason: reason, Time: d.Now(), Evidence: p.Patch.Digest}
	p.State, p.Decision = archive.Approved, brief(decision)
	if err := d.Archive.Decide(ctx, decision, p); err != nil {
		return p, fmt.Errorf("recording the approval: %w", err)
	}
	return p, nil
}

func approvable(p archive.ProposalRecord, w decide.Word) error {
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

// whole refuses a record that does not hold together: the digest is that of what is
// stored, and the stored files lead to the tree that it names.
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

// fresh gates a patch again when the tip of the target or its policy has moved. What
// comes out is another digest, so that a person has to look again, unless the tree is
// the very same and every gate says what it said.
func (d *Desk) fresh(ctx context.Context, t Target, repo *patch.Repository, p archive.ProposalRecord) (archive.ProposalRecord, error) {
	policy, err := t.policy()
	if err != nil {
		return p, err
	}
	_, head, err := repo.Head()
	if err != nil {
		return p, err
	}
	if head == p.Patch.BaseCommit && policy == p.Patch.Policy {
		return p, nil
	}
	old, err := d.regate(ctx, t, repo, p, head)
	if err != nil {
		return old, err
	}
	now := old
	if now.Patch.Tree == p.Patch.Tree && slices.EqualFunc(now.Gates, p.Gates, func(a, b archive.GateVerdict) bool { return a.Gate == b.Gate && a.Verdict == b.Verdict }) {
		return now, nil
	}
	return now, decide.Refuse("look again with `evolve show "+p.ID+"`; it is "+stateName(now.State)+" now",
		"%s was gated on %.12s and is stale: it was gated again on %.12s", p.ID, p.Patch.BaseCommit, head)
}

// regate brings a patch to another tip and passes it through the gates there.
func (d *Desk) regate(ctx context.Context, t Target, repo *patch.Repository, p archive.ProposalRecord, head string) (archive.ProposalRecord, error) {
	brief := *p.Patch
	p.Patch = &brief
	files, conflicts, err := onto(repo, head, Change(p))
	if err != nil {
		return p, err
	}
	p.Patch.BaseCommit = head
	if len(conflicts) > 0 {
		p.Ref, p.Commit = "", ""
		return d.unappliable(ctx, p, "changed in the target since, where the patch changes it too: "+strings.Join(conflicts, ", "))
	}
	p.Files = nil
	for _, f := range files {
		p.Files = append(p.Files, archive.FileChange{Path: f.Path, Old: f.Old, New: f.New})
	}
	return d.gate(ctx, t, p, entryRegate)
}

// ready refuses, before anything is recorded, what git would refuse afterwards.
func ready(ctx context.Context, repo *patch.Repository, p archive.ProposalRecord) error {
	branch, _, err := repo.Head()
	if err != nil {
		return err
	}
	if branch == "" {
		return decide.Refuse("check out the branch that should move, such as `git switch main`", "HEAD of %s is at no branch", p.Patch.Repository)
	}
	if repo.Top() == "" {
		return nil
	}
	dirty, err := repo.Dirty(ctx, paths(p))
	if errors.Is(err, patch.ErrNoGit) {
		return decide.Refuse("install git: it alone moves a checked-out tree safely", "git is not installed")
	}
	if err != nil {
		return err
	}
	if len(dirty) > 0 {
		return decide.Refuse("commit or restore them, then repeat the command", "not committed: %s", strings.Join(dirty, ", "))
	}
	return nil
}

// adopt makes the commit of an approved patch and stores that it is adopted.
func (d *Desk) adopt(ctx context.Context, t Target, repo *patch.Repository, p archive.ProposalRecord, who patch.Person) (archive.ProposalRecord, error) {
	branch, head, err := repo.Head()
	if err != nil {
		return p, err
	}
	there, err := holds(repo, head, Change(p), after)
	if err != nil {
		return p, err
	}
	commit := head // an earlier attempt got as far as the commit
	if !there {
		if head != p.Patch.BaseCommit {
			return d.overtaken(ctx, t, repo, p, head)
		}
		if err := ready(ctx, repo, p); err != nil {
			return p, err
		}
		if commit, err = d.advance(ctx, repo, branch, head, Change(p), who, func(audit string) string {
			return adoptionMessage(p, p.Decision.By, p.Decision.Reason, audit)
		}); err != nil {
			return p, err
		}
	}
	if err := d.step("commit"); err != nil {
		return p, err
	}
	p.State, p.AdoptedCommit, p.Decision.Commit = archive.Adopted, commit, commit
	return p, d.settle(ctx, entryAdopted, p.Decision.By, p, map[string]any{
		"kind": p.Kind, "target": t.Name, "agent": p.Agent, "before": head, "commit": commit, "digest": p.Patch.Digest,
	})
}

// overtaken takes an approval back whose commit was never made, because the target
// moved before it could be finished.
func (d *Desk) overtaken(ctx context.Context, t Target, repo *patch.Repository, p archive.ProposalRecord, head string) (archive.ProposalRecord, error) {
	p, err := d.regate(ctx, t, repo, p, head)
	if err != nil {
		return p, err
	}
	return p, decide.Refuse("look again with `evolve show "+p.ID+"`; it is "+stateName(p.State)+" now",
		"the target moved before the approval of %s was carried out", p.ID)
}

// advance commits a change on top of a branch and moves the branch there, with its
// working tree where it is checked out.
func (d *Desk) advance(ctx context.Context, repo *patch.Repository, branch, base string, files []patch.File, who patch.Person, message func(audit string) string) (string, error) {
	_, audit, err := d.Archive.LedgerHead(ctx)
	if err != nil {
		return "", fmt.Errorf("reading the ledger: %w", err)
	}
	text := message(audit)
	commit, err := repo.Commit(base, files, text, who)
	if err != nil {
		return "", fmt.Errorf("committing: %w", err)
	}
	subject, _, _ := strings.Cut(text, "\n")
	err = repo.Advance(ctx, patch.Move{Ref: branch, Old: base, New: commit, By: who, Reason: subject})
	var inUse *patch.CheckedOutError
	switch {
	case errors.As(err, &inUse):
		hint := "settle that, then repeat the command"
		if inUse.Command != "" {
			hint += "; it does what `" + inUse.Command + "` does"
		}
		return "", decide.Refuse(hint, "%s", inUse)
	case errors.Is(err, patch.ErrMoved):
		return "", decide.Refuse("repeat the command", "the target moved meanwhile")
	case err != nil:
		return "", fmt.Errorf("moving the branch: %w", err)
	}
	return commit, nil
}

func brief(d archive.DecisionRecord) *archive.DecisionBrief {
	return &archive.DecisionBrief{Action: d.Action, By: d.By, Reason: d.Reason, Time: d.Time, Commit: d.Commit}
}

// stateName is a state as people read it.
func stateName(s archive.ProposalState) string { return strings.ReplaceAll(string(s), "_", " ") }

// standing reports whether the verdicts let a change pass.
func standing(verdicts []archive.GateVerdict) (archive.GateVerdict, bool) {
	for _, v := range verdicts {
		if v.Verdict != string(gates.Passed) && v.Verdict != string(gates.Flagged) {
			return v, false
		}
	}
	return archive.GateVerdict{}, len(verdicts) > 0
}
