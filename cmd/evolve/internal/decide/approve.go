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

// Word is what a person says of a proposal.
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

// Approve adopts a proposal: its base must be as it was measured, its gates are
// passed again, the decision is stored, and then the branch that is checked out
// moves forward by one commit. Should the machine die between the two, the same
// call finishes the adoption.
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

// commitName is the full name of a commit. An import can hold any text in its place.
var commitName = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// Foreign refuses to decide on an imported proposal as on one of this archive.
func Foreign(p archive.ProposalRecord) error {
	switch {
	case p.Imported == "":
		return nil
	case p.State == archive.Drafted && p.OfConfig():
		return Refuse("`evolve run` measures its variant here, and proposes it when that is confirmed", "%s was imported: it was not measured and gated here", p.ID)
	case p.State == archive.Drafted && p.Patch != nil && !p.Patch.Named:
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

// regate passes the gates again on what is there now: a stale base is refused.
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

// ready refuses, before anything is recorded, what git would refuse afterwards or write
// otherwise than it is committed, and a commit that would hold a credential. found is
// [Word.Found].
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

// Hindered makes a refusal of what keeps git from moving a working tree; any other error,
// and none, it returns as they are.
func Hindered(err error) error {
	var hindered *patch.HinderedError
	if errors.As(err, &hindered) {
		return &RefusedError{Text: hindered.Why, Hint: hindered.Hint, err: err}
	}
	return err
}

// adopt makes the commit of an approved proposal and stores that it is adopted.
func (d *Desk) adopt(ctx context.Context, p archive.ProposalRecord, decision archive.DecisionRecord, who patch.Person, found []string) (archive.ProposalRecord, error) {
	in, err := d.move(ctx, IntentOf(decision), who, found, files(p), func(audit string) string { return adoptionMessage(p, decision, audit) })
	var wrong *patch.AlteredError
	if err != nil && !errors.As(err, &wrong) {
		return p, err
	}
	if wrong != nil { // nothing is started on files that are not those of the commit
		in.Stage = archive.IntentDone
	}
	p, _, noted := d.adopted(ctx, p, in, in.Commit)
	if wrong != nil {
		return p, errors.Join(noted, Altered(ctx, d.Archive, archive.LedgerEntry{Time: d.Now(), Actor: robot}, err, p.ID))
	}
	return p, noted
}

// adopted stores that a commit has adopted a proposal, with what is left to do then.
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

// next is the intent after its commit is noted; one that is done stays so.
func (d *Desk) next(in archive.Intent) archive.Intent {
	if in.Stage == archive.IntentDone {
		return in
	}
	return Next(in, len(d.Workspace.Settings.Adoption.After) > 0)
}

// move commits a change on the branch that is checked out, making the repository of the
// files found when there is none. The name of the commit is stored before the branch moves,
// so that what a killed process left can be told. It returns the intent with that name. When
// the files are committed there as the change wants them, an earlier attempt got that far.
// Git writes the working tree before it moves the branch, so that the files alone show
// nothing. An *[patch.AlteredError] comes with a commit that is on the branch.
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

// asRecord is the decision that a proposal's record remembers.
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
