package decide

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/patch"
)

// Rollback reverts an adoption with a new commit that restores the files as they were
// before it. If files changed since, it changes nothing and names them, with the later
// adoptions that changed them.
func (d *Desk) Rollback(ctx context.Context, id string, w Word) (archive.ProposalRecord, error) {
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
	if p.State != archive.Adopted {
		return p, Refuse("`evolve proposals --all` lists what was adopted", "%s is %s; only what is adopted can be rolled back", p.ID, strings.ReplaceAll(string(p.State), "_", " "))
	}
	if err := Foreign(p); err != nil {
		return p, err
	}
	if err := Unaltered(ctx, d.Archive, p); err != nil {
		return p, err
	}
	back, err := d.differ(p.Files, before)
	if err != nil {
		return p, err
	}
	if len(back) > 0 { // otherwise an earlier attempt has made the commit
		if err := d.undoable(ctx, p, w.Found); err != nil {
			return p, err
		}
		if err := d.restores(a, p); err != nil {
			return p, err
		}
	}
	decision := archive.DecisionRecord{Proposal: p.ID, Action: "rollback", By: w.By, Reason: w.Reason, Time: d.Now(), Evidence: p.Evidence}
	in := IntentOf(decision)
	if err := d.Archive.PutIntent(ctx, in); err != nil {
		return p, fmt.Errorf("recording what is to be done: %w", err)
	}
	if err := d.step(StepDecided); err != nil {
		return p, err
	}
	in, err = d.move(ctx, in, who, w.Found, patch.Reverse(files(p)), func(audit string) string { return rollbackMessage(p, decision, audit) })
	var wrong *patch.AlteredError
	if err != nil && !errors.As(err, &wrong) {
		return p, err
	}
	if wrong != nil {
		in.Stage = archive.IntentDone
	}
	p, _, noted := d.rolledBack(ctx, p, in, in.Commit)
	if wrong != nil {
		return p, errors.Join(noted, Altered(ctx, d.Archive, archive.LedgerEntry{Time: d.Now(), Actor: robot}, err, p.ID))
	}
	return p, noted
}

// rolledBack stores the rollback of an adoption by a commit, with an intent for the
// remaining steps.
func (d *Desk) rolledBack(ctx context.Context, p archive.ProposalRecord, in archive.Intent, commit string) (archive.ProposalRecord, archive.Intent, error) {
	in = d.next(in)
	in.Commit = commit
	decision := Decision(in)
	p.State, p.Decision = archive.RolledBack, brief(decision)
	if err := d.Archive.Decide(ctx, decision, p, in); err != nil {
		return p, in, fmt.Errorf("recording the rollback: %w", err)
	}
	return p, in, d.step(StepSettled)
}

// Decision returns the decision of an intent.
func Decision(in archive.Intent) archive.DecisionRecord {
	return archive.DecisionRecord{Proposal: in.Proposal, Action: in.Action, By: in.By, Reason: in.Reason, Time: in.Time, Commit: in.Commit, Evidence: in.Evidence}
}

// restores refuses a rollback if the files before the adoption would not load.
func (d *Desk) restores(a *workspace.Agent, p archive.ProposalRecord) error {
	if p.Kind == archive.KindTool {
		return d.restoresWritten(a, p)
	}
	if restored, err := d.reload(a, p, before); err != nil || restored.ID() != p.Champion {
		return Refuse("restore config.yaml and STRATEGY.md by hand from the commit before "+p.AdoptedCommit,
			"the files before %s do not load as its champion", p.ID)
	}
	return nil
}

// undoable refuses a rollback if a file changed since the adoption. It compares the files
// of HEAD, because git may convert those of the working tree (filters, line endings).
func (d *Desk) undoable(ctx context.Context, p archive.ProposalRecord, found []string) error {
	repo, err := d.repository()
	if err != nil {
		return err
	}
	var changed []string
	if repo == nil {
		changed, err = d.differ(p.Files, after)
	} else {
		var head string
		if _, head, err = repo.Head(); err == nil {
			changed, err = astray(repo, head, p.Files, after)
		}
	}
	if err != nil {
		return err
	}
	if len(changed) == 0 {
		return d.ready(ctx, repo, patch.Reverse(files(p)), found)
	}
	hint := "restore them, or edit them by hand"
	if later, err := d.Later(ctx, p); err != nil {
		return err
	} else if len(later) > 0 {
		hint = "roll these back first: " + strings.Join(later, ", ")
	}
	return Refuse(hint, "changed since %s was adopted: %s", p.ID, strings.Join(changed, ", "))
}

// Later lists the adopted proposals that changed a file of p after it, the latest first.
func (d *Desk) Later(ctx context.Context, p archive.ProposalRecord) ([]string, error) {
	var out []string
	for other, err := range d.Archive.Proposals(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the proposals: %w", err)
		}
		if other.State != archive.Adopted || other.ID == p.ID || other.Decision == nil || p.Decision == nil || other.Decision.Time.Before(p.Decision.Time) {
			continue
		}
		if slices.ContainsFunc(other.Files, func(f archive.FileChange) bool { return slices.Contains(paths(p), f.Path) }) {
			out = append([]string{other.ID}, out...)
		}
	}
	return out, nil
}
