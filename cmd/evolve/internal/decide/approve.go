package decide

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates"
	"evolve/patch"
)

// Word is a person's decision on a proposal.
type Word struct {
	// By is "Name" or "Name <mail>".
	By     string
	Reason string
	// OverrideReason lets a proposal of the human lane pass.
	OverrideReason string
	// Found holds the files that the person was shown as the first commit of a new
	// repository ([Founding]); without them no repository is made.
	Found []string
}

// Approve adopts a proposal. Its base must be as it was measured, and its gates must pass
// again. The decision is stored first; then the branch that is checked out moves forward
// by one commit. After a crash between the two, the same call completes the adoption.
func (d *Desk) Approve(ctx context.Context, id string, w Word) (archive.ProposalRecord, error) {
	p, a, err := d.Find(ctx, id)
	if err != nil {
		return p, err
	}
	who, err := Person(w.By)
	if err != nil {
		return p, err
	}
	who.When = d.Now()
	if err := withinKind(p); err != nil {
		return p, err
	}
	stored := p
	if p.State == archive.Approved {
		if err := Bound(ctx, d.Archive, stored); err != nil {
			return p, err
		}
		if err := d.committable(paths(p)...); err != nil {
			return p, err
		}
		return d.adopt(ctx, p, *asRecord(p), who, w.Found)
	}
	if err := approvable(p, w); err != nil {
		return p, err
	}
	repo, err := d.repository()
	if err != nil {
		return p, err
	}
	if err := d.regate(ctx, a, &p, repo, w); err != nil {
		return p, err
	}
	if err := d.faithful(ctx, a, p); err != nil {
		return p, err
	}
	if err := Bound(ctx, d.Archive, stored); err != nil {
		return p, err
	}
	if err := d.grounded(ctx, a, stored); err != nil {
		return p, err
	}
	if err := d.ready(ctx, repo, files(p), w.Found); err != nil {
		return p, err
	}
	reason := w.Reason
	if w.OverrideReason != "" {
		reason = strings.TrimSpace(reason + " override: " + w.OverrideReason)
	}
	decision := archive.DecisionRecord{Proposal: p.ID, Action: "approve", By: w.By, Reason: reason, Time: d.Now(), Evidence: p.Evidence}
	p.State, p.Decision = archive.Approved, brief(decision)
	if err := d.Archive.Decide(ctx, decision, p, IntentOf(decision)); err != nil {
		return p, fmt.Errorf("recording the approval: %w", err)
	}
	if err := d.step(StepDecided); err != nil {
		return p, err
	}
	return d.adopt(ctx, p, decision, who, w.Found)
}

// commitName matches the full name of a commit. An import can hold any text in its place.
var commitName = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// Foreign refuses decisions on imported drafts, which must be measured or gated here first,
// and on imported adoptions.
func Foreign(p archive.ProposalRecord) error {
	switch {
	case p.Imported == "":
		return nil
	case p.State == archive.Drafted && p.OfConfig():
		return Refuse("`evolve run` measures its variant here, and proposes it when that is confirmed", "%s was imported: it was not measured and gated here", p.ID)
	case p.State == archive.Drafted && p.Patch != nil && p.Patch.Named:
		return Refuse("`evolve run` passes it through the gates here", "%s was imported: it was not gated here", p.ID)
	case p.State == archive.Drafted:
		return Refuse("reject it; it is gated when it is proposed here", "%s was imported: it was not gated here", p.ID)
	case p.State == archive.Adopted:
		hint := "take it back with git: `git log --grep 'Evolve-Proposal: " + p.ID + "'` finds its commit, if it is here, and `git revert` takes that back"
		if commitName.MatchString(p.AdoptedCommit) {
			hint = "take it back with git: `git revert " + p.AdoptedCommit + "`"
		}
		return Refuse(hint, "%s was imported: the ledger here did not see its adoption", p.ID)
	}
	return nil
}

func approvable(p archive.ProposalRecord, w Word) error {
	if err := Foreign(p); err != nil {
		return err
	}
	switch p.State {
	case archive.Awaiting:
		return nil
	case archive.HumanLane:
		if w.OverrideReason == "" {
			return Refuse("read the flagged gates with `evolve show "+p.ID+"`; then --override-reason says why it may pass",
				"a gate flagged %s for a person's eyes", p.ID)
		}
		return nil
	case archive.GateFailed, archive.Drafted, archive.Gated:
		return Refuse("`evolve show "+p.ID+"` says which and why", "%s has not passed its gates", p.ID)
	}
	return Refuse("`evolve show "+p.ID+"` tells its story", "%s is %s; it cannot be approved", p.ID, strings.ReplaceAll(string(p.State), "_", " "))
}

// regate runs the gates again on the current files and refuses a stale base.
func (d *Desk) regate(ctx context.Context, a *workspace.Agent, p *archive.ProposalRecord, repo *patch.Repository, w Word) error {
	now, hint := workspace.BaseOf(a, d.Workspace.Suites), "`evolve run` measures it again on what is there now"
	if p.Kind == archive.KindTool {
		var err error
		if now, err = d.writtenBase(a, *p); err != nil {
			return err
		}
		hint = "reject it; the agent may write it again, and a night draft the skill again"
	}
	if moved := gates.Moved(p.Base, now); len(moved) > 0 {
		return Refuse(hint, "%s is stale: %s changed since it was measured", p.ID, strings.Join(moved, ", "))
	}
	list, err := d.gates(ctx, a, *p, repo)
	if err != nil {
		return err
	}
	verdicts := gates.Run(ctx, list)
	lane := gates.Lane(verdicts)
	if lane == archive.Awaiting || (lane == archive.HumanLane && w.OverrideReason != "") {
		p.Gates = verdicts
		return nil
	}
	for _, g := range verdicts {
		if g.Verdict != string(gates.Passed) {
			return Refuse("`evolve show "+p.ID+"` shows every gate", "the gate %q says %s: %s", g.Gate, strings.ReplaceAll(g.Verdict, "_", " "), g.Evidence)
		}
	}
	return errors.New("no gate was run")
}

// ready refuses, before anything is recorded, a change that git would refuse later or
// would write to the working tree in another form than it is committed, and one that
// would commit a credential. found is [Word.Found].
func (d *Desk) ready(ctx context.Context, repo *patch.Repository, change []patch.File, found []string) error {
	var names []string
	for _, f := range change {
		names = append(names, f.Path)
	}
	if err := d.committable(names...); err != nil {
		return err
	}
	if err := withoutCredentials(change); err != nil {
		return err
	}
	if repo == nil {
		return d.foundable(found)
	}
	branch, _, err := repo.Head()
	if err != nil {
		return err
	}
	if branch == "" {
		return Refuse("check out the branch that should move, such as `git switch main`", "no branch is checked out in the workspace")
	}
	dirty, err := repo.Dirty(ctx, names)
	if errors.Is(err, patch.ErrNoGit) {
		return Refuse("install git: it alone moves a checked-out tree safely", "git is not installed")
	}
	if err != nil {
		return err
	}
	hindered := Hindered(repo.Movable(ctx, change))
	places, err := repo.Checkouts(branch)
	if err != nil {
		return err
	}
	for _, c := range places {
		if c.Busy != "" {
			return Refuse("finish or abort it, then repeat the command", "a %s of the branch is under way in %s", c.Busy, c.Folder)
		}
	}
	var why *patch.HinderedError
	if len(dirty) > 0 && (!errors.As(hindered, &why) || !why.Rewrites) {
		return Refuse("commit or restore them, then repeat the command", "not committed: %s", strings.Join(dirty, ", "))
	}
	return hindered
}

// Hindered turns a *patch.HinderedError into a refusal and returns any other error as it
// is.
func Hindered(err error) error {
	var hindered *patch.HinderedError
	if errors.As(err, &hindered) {
		return &RefusedError{Text: hindered.Why, Hint: hindered.Hint, err: err}
	}
	return err
}

// adopt makes the commit of an approved proposal and stores the adoption.
func (d *Desk) adopt(ctx context.Context, p archive.ProposalRecord, decision archive.DecisionRecord, who patch.Person, found []string) (archive.ProposalRecord, error) {
	in, err := d.move(ctx, IntentOf(decision), who, found, files(p), func(audit string) string { return adoptionMessage(p, decision, audit) })
	var wrong *patch.AlteredError
	if err != nil && !errors.As(err, &wrong) {
		return p, err
	}
	if wrong != nil { // no program starts on files that differ from the commit
		in.Stage = archive.IntentDone
	}
	p, _, noted := d.adopted(ctx, p, in, in.Commit)
	if wrong != nil {
		return p, errors.Join(noted, Altered(ctx, d.Archive, archive.LedgerEntry{Time: d.Now(), Actor: robot}, err, p.ID))
	}
	return p, noted
}

// adopted stores the adoption of a proposal by a commit, with an intent for the remaining
// steps.
func (d *Desk) adopted(ctx context.Context, p archive.ProposalRecord, in archive.Intent, commit string) (archive.ProposalRecord, archive.Intent, error) {
	in = d.next(in)
	in.Commit = commit
	p.State, p.AdoptedCommit = archive.Adopted, commit
	if p.Decision != nil {
		p.Decision.Commit = commit
	}
	err := d.settle(ctx, p, "proposal.adopted", map[string]string{"commit": commit, "variant": string(p.Variant)}, in)
	if err == nil {
		err = d.step(StepSettled)
	}
	return p, in, err
}

// next returns the intent's next stage once its commit is stored; a finished one is
// returned unchanged.
func (d *Desk) next(in archive.Intent) archive.Intent {
	if in.Stage == archive.IntentDone {
		return in
	}
	return Next(in, len(d.Workspace.Settings.Adoption.After) > 0)
}

// move commits a change on the branch that is checked out. If there is no repository, it
// makes one of the files found. It stores the commit's name before the branch moves, so
// that the work of a killed process can be recognized, and returns the intent with that
// name. If HEAD already has the changed files, an earlier attempt has made the commit;
// the working tree does not show that, because git writes it before it moves the branch.
// If the error is an *[patch.AlteredError], the commit is on the branch.
func (d *Desk) move(ctx context.Context, in archive.Intent, who patch.Person, found []string, change []patch.File, message func(audit string) string) (archive.Intent, error) {
	repo, err := d.repository()
	if err != nil {
		return in, err
	}
	if repo == nil {
		if repo, err = d.found(ctx, found, who); err != nil {
			return in, err
		}
	}
	branch, head, err := repo.Head()
	if err != nil {
		return in, err
	}
	there, err := holds(repo, head, change)
	if err != nil {
		return in, err
	}
	if there {
		in.Branch, in.Base, in.Commit = branch, "", head
		return in, nil
	}
	_, audit, err := d.Archive.LedgerHead(ctx)
	if err != nil {
		return in, fmt.Errorf("reading the ledger: %w", err)
	}
	if err := Hindered(repo.Movable(ctx, change)); err != nil {
		return in, err
	}
	text, err := Attested(ctx, d.Archive, in.Proposal, message(audit))
	if err != nil {
		return in, err
	}
	commit, err := repo.Commit(head, change, text, who)
	var conflict *patch.ConflictError
	if errors.As(err, &conflict) {
		return in, Refuse("commit or restore them, then repeat the command", "not as they were when this was measured: %s", strings.Join(conflict.Paths, ", "))
	}
	if err != nil {
		return in, fmt.Errorf("committing: %w", err)
	}
	tree, err := repo.Candidate(head, change)
	if err != nil {
		return in, fmt.Errorf("writing the tree: %w", err)
	}
	if err := d.step(StepWritten); err != nil {
		return in, err
	}
	in.Branch, in.Base, in.Commit = branch, head, commit
	if err := d.Archive.PutIntent(ctx, in); err != nil {
		return in, fmt.Errorf("recording what is to be committed: %w", err)
	}
	if err := d.step(StepIntended); err != nil {
		return in, err
	}
	if err := repo.Forward(ctx, commit); err != nil {
		return in, fmt.Errorf("committing: %w", err)
	}
	if err := d.step(StepMoved); err != nil {
		return in, err
	}
	return in, repo.Landed(ctx, "", commit, tree, change)
}

// asRecord returns the decision stored in a proposal's record.
func asRecord(p archive.ProposalRecord) *archive.DecisionRecord {
	d := archive.DecisionRecord{Proposal: p.ID, Action: "approve", Evidence: p.Evidence}
	if p.Decision != nil {
		d.By, d.Reason, d.Time = p.Decision.By, p.Decision.Reason, p.Decision.Time
	}
	return &d
}

func brief(d archive.DecisionRecord) *archive.DecisionBrief {
	return &archive.DecisionBrief{Action: d.Action, By: d.By, Reason: d.Reason, Time: d.Time, Commit: d.Commit}
}
