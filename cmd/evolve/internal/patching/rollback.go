package patching

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/decide"
	"evolve/gates/gotest"
	"evolve/patch"
)

// Rollback reverts an adopted patch with a new commit: every file becomes as it was
// before or, if it was changed since, only the places that the patch changed are
// reversed. The result passes the gates first. If a place no longer exists, Rollback
// names it and changes nothing.
func (d *Desk) Rollback(ctx context.Context, id string, w decide.Word) (Done, error) {
	who, err := decide.Person(w.By)
	if err != nil {
		return Done{}, err
	}
	who.When = d.Now()
	var way *reversal
	err = d.Archive(ctx, func(a *archive.Archive) (err error) {
		if way, err = d.plan(ctx, a, id); err == nil && way.there {
			err = d.takenBack(ctx, a, way, decide.IntentOf(way.decision(d.Now(), w)))
		}
		return err
	})
	if err != nil || way.there {
		return way.done(), err
	}
	mine, err := d.sole(way.proposal.ID)
	if err != nil {
		return way.done(), err
	}
	defer mine.Release()
	if way.digest, err = d.gateBack(ctx, way); err != nil {
		return way.done(), err
	}
	if ctx.Err() != nil {
		return way.done(), context.Cause(ctx)
	}
	err = d.Archive.Patiently(ctx, func(ctx context.Context, a *archive.Archive) error {
		now, err := d.plan(ctx, a, id)
		if err != nil {
			return err
		}
		if now.head != way.head {
			return decide.Refuse("repeat the command", "the target moved while the way back of %s was at its gates", way.proposal.ID)
		}
		in := decide.IntentOf(way.decision(d.Now(), w))
		if err := a.PutIntent(ctx, in); err != nil {
			return fmt.Errorf("recording what is to be done: %w", err)
		}
		if err := d.step(decide.StepDecided); err != nil {
			return err
		}
		in, err = d.advance(ctx, a, way.change(), in, who, func(audit string) string {
			return rollbackMessage(way.proposal, w.By, w.Reason, way.digest, audit)
		})
		wrong, err := split(err)
		if err != nil {
			return err
		}
		if wrong != nil {
			in.Stage = archive.IntentDone
		}
		way.commit = in.Commit
		return errors.Join(d.takenBack(ctx, a, way, in), decide.Altered(ctx, a, archive.LedgerEntry{Time: d.Now(), Actor: robot}, wrong, way.proposal.ID))
	})
	return way.done(), err
}

// reversal is the reversal of an adopted patch.
type reversal struct {
	proposal archive.ProposalRecord
	target   Target
	repo     *patch.Repository
	// head is the current commit of branch.
	branch, head string
	// files reverse the patch and tree, set by the gates, is the result; there reports
	// whether an earlier attempt has made the commit.
	files []patch.File
	there bool
	later []string
	// digest covers the verdicts on the reversal; commit is the resulting commit.
	digest, commit string
	tree           string
}

// change returns the reversal as a change on top of a branch.
func (w *reversal) change() forward {
	return forward{repo: w.repo, branch: w.branch, base: w.head, files: w.files, tree: w.tree}
}

// decision returns the decision to roll a patch back.
func (w *reversal) decision(now time.Time, word decide.Word) archive.DecisionRecord {
	return archive.DecisionRecord{Proposal: w.proposal.ID, Action: "rollback", By: word.By, Reason: word.Reason, Time: now, Evidence: w.digest, Commit: w.commit}
}

// done returns how far a rollback came; w may be nil.
func (w *reversal) done() Done {
	if w == nil {
		return Done{}
	}
	return Done{Proposal: w.proposal, Later: w.later}
}

// plan computes the reversal. Its error names places that no longer exist.
func (d *Desk) plan(ctx context.Context, a *archive.Archive, id string) (*reversal, error) {
	p, err := find(ctx, a, id)
	if err != nil {
		return nil, err
	}
	w := &reversal{proposal: p, digest: p.Patch.Digest}
	if p.State != archive.Adopted {
		return w, decide.Refuse("`evolve patch list` lists what was adopted", "%s is %s; only what is adopted can be rolled back", p.ID, stateName(p.State))
	}
	if err := decide.Foreign(p); err != nil {
		return w, err
	}
	if err := decide.Unaltered(ctx, a, p); err != nil {
		return w, err
	}
	if w.later, err = laterThan(ctx, a, p); err != nil {
		return w, err
	}
	if w.target, err = d.targetOf(p); err != nil {
		return w, err
	}
	if w.repo, err = d.open(w.target); err != nil {
		return w, err
	}
	if w.branch, w.head, err = w.repo.Head(); err != nil {
		return w, err
	}
	w.commit = w.head
	if w.there, err = holds(w.repo, w.head, Change(p), before); err != nil || w.there {
		return w, err
	}
	files, conflicts, err := onto(w.repo, w.head, patch.Reverse(Change(p)))
	if err != nil {
		return w, err
	}
	w.files = files
	if len(conflicts) > 0 {
		hint := "restore them by hand from the commit before " + p.AdoptedCommit
		if len(w.later) > 0 {
			hint = "roll these back first: " + strings.Join(w.later, ", ")
		}
		return w, decide.Refuse(hint, "changed since %s was adopted: %s", p.ID, strings.Join(conflicts, ", "))
	}
	return w, ready(ctx, w.repo, p, w.files)
}

// takenBack stores the rollback of a patch, with an intent for the remaining steps.
func (d *Desk) takenBack(ctx context.Context, a *archive.Archive, way *reversal, in archive.Intent) error {
	p, _, err := d.rolledBack(ctx, a, way.proposal, in, way.commit)
	way.proposal = p
	return err
}

// rolledBack stores the rollback of a patch by a commit, with an intent for the remaining
// steps.
func (d *Desk) rolledBack(ctx context.Context, a *archive.Archive, p archive.ProposalRecord, in archive.Intent, commit string) (archive.ProposalRecord, archive.Intent, error) {
	in = d.next(in)
	in.Commit = commit
	decision := decide.Decision(in)
	p.State, p.Decision = archive.RolledBack, brief(decision)
	if err := a.Decide(ctx, decision, p, in); err != nil {
		return p, in, fmt.Errorf("recording the rollback: %w", err)
	}
	return p, in, d.step(decide.StepSettled)
}

// gateBack runs the gates that check whether the target without the patch still builds
// and passes its tests, and returns the digest of the result.
func (d *Desk) gateBack(ctx context.Context, r *reversal) (string, error) {
	release, err := d.alone(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	p := r.proposal
	scratch, err := d.trees(p.ID)
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	way := &passage{desk: d, target: r.target, repo: r.repo, base: r.head, files: r.files, scratch: scratch}
	if way.tree, err = r.repo.Candidate(r.head, r.files); err != nil {
		return "", fmt.Errorf("writing the tree that is restored: %w", err)
	}
	r.tree = way.tree
	from := r.head
	if was, err := r.repo.TreeOf(p.Patch.BaseCommit); err != nil {
		return "", err
	} else if was == way.tree {
		from = was // tests that failed before the patch may fail again
	}
	verdicts, err := way.back(ctx, from, way.tree, r.files, gotest.Build, gotest.Vet, gotest.Affected, gotest.All)
	if err != nil {
		return "", err
	}
	if bad, ok := standing(verdicts); !ok {
		return "", decide.Refuse("roll back what builds on it first, or restore the files by hand", "without %s the gate %q says %s: %s", p.ID, bad.Gate, strings.ReplaceAll(bad.Verdict, "_", " "), bad.Evidence)
	}
	reversed := p
	reversed.Gates = verdicts
	reversed.Patch = &archive.PatchBrief{BaseCommit: r.head, Tree: way.tree, Policy: p.Patch.Policy}
	return Digest(reversed), nil
}

// laterThan lists the adopted patches of the same repository that touch a file or a
// package of p after it, the latest first.
func laterThan(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) ([]string, error) {
	packages := folders(p)
	var found []archive.ProposalRecord
	for other, err := range a.Proposals(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the proposals: %w", err)
		}
		if other.State != archive.Adopted || other.ID == p.ID || other.Decision == nil || p.Decision == nil || other.Decision.Time.Before(p.Decision.Time) {
			continue
		}
		if other.Patch != nil && other.Patch.Repository == p.Patch.Repository && slices.ContainsFunc(folders(other), func(dir string) bool { return slices.Contains(packages, dir) }) {
			found = append(found, other)
		}
	}
	slices.SortStableFunc(found, func(a, b archive.ProposalRecord) int { return b.Decision.Time.Compare(a.Decision.Time) })
	var out []string
	for _, o := range found {
		out = append(out, o.ID)
	}
	return out, nil
}

// folders returns the packages that a patch touches.
func folders(p archive.ProposalRecord) []string {
	var out []string
	for _, f := range p.Files {
		if dir := path.Dir(f.Path); !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}
