package patching

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/cmd/evolve/internal/decide"
	"evolve/gates/gotest"
	"evolve/patch"
)

// Rollback takes an adopted patch back with a new forward commit: every file as it was
// before or, where it was changed since, with the very places of the patch reversed.
// The result passes through the gates first. Places that are no longer there are named
// and nothing is done.
func (d *Desk) Rollback(ctx context.Context, id string, w decide.Word) (Done, error) {
	p, err := d.Find(ctx, id)
	if err != nil {
		return Done{Proposal: p}, err
	}
	who, err := decide.Person(w.By)
	if err != nil {
		return Done{Proposal: p}, err
	}
	who.When = d.Now()
	if p.State != archive.Adopted {
		return Done{Proposal: p}, decide.Refuse("`evolve patch list` lists what was adopted", "%s is %s; only what is adopted can be rolled back", p.ID, stateName(p.State))
	}
	later, err := d.Later(ctx, p)
	if err != nil {
		return Done{Proposal: p}, err
	}
	t, err := d.targetOf(p)
	if err != nil {
		return Done{Proposal: p}, err
	}
	repo, err := d.open(t)
	if err != nil {
		return Done{Proposal: p}, err
	}
	p, err = d.takeBack(ctx, t, repo, p, w, who, later)
	if err != nil {
		return Done{Proposal: p, Later: later}, err
	}
	return Done{Proposal: p, Later: later, After: d.after(ctx, t)}, nil
}

func (d *Desk) takeBack(ctx context.Context, t Target, repo *patch.Repository, p archive.ProposalRecord, w decide.Word, who patch.Person, later []string) (archive.ProposalRecord, error) {
	branch, head, err := repo.Head()
	if err != nil {
		return p, err
	}
	back, err := holds(repo, head, Change(p), before)
	if err != nil {
		return p, err
	}
	decision := archive.DecisionRecord{Proposal: p.ID, Action: "rollback", By: w.By, Reason: w.Reason, Time: d.Now(), Evidence: p.Patch.Digest, Commit: head}
	if !back { // else an earlier attempt got as far as the commit
		files, conflicts, err := onto(repo, head, patch.Reverse(Change(p)))
		if err != nil {
			return p, err
		}
		if len(conflicts) > 0 {
			hint := "restore them by hand from the commit before " + p.AdoptedCommit
			if len(later) > 0 {
				hint = "roll these back first: " + strings.Join(later, ", ")
			}
			return p, decide.Refuse(hint, "changed since %s was adopted: %s", p.ID, strings.Join(conflicts, ", "))
		}
		if err := ready(ctx, repo, p); err != nil {
			return p, err
		}
		if decision.Evidence, err = d.gateBack(ctx, t, repo, p, head, files); err != nil {
			return p, err
		}
		decision.Commit, err = d.advance(ctx, repo, branch, head, files, who, func(audit string) string {
			return rollbackMessage(p, w.By, w.Reason, decision.Evidence, audit)
		})
		if err != nil {
			return p, err
		}
	}
	if err := d.step("rollback"); err != nil {
		return p, err
	}
	p.State, p.Decision = archive.RolledBack, brief(decision)
	if err := d.Archive.Decide(ctx, decision, p); err != nil {
		return p, fmt.Errorf("recording the rollback: %w", err)
	}
	return p, nil
}

// gateBack passes the change that takes a patch back through the gates that say
// whether the target still builds and passes its tests, and returns its digest.
func (d *Desk) gateBack(ctx context.Context, t Target, repo *patch.Repository, p archive.ProposalRecord, head string, files []patch.File) (string, error) {
	scratch, err := d.scratch(p.ID)
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	way := &passage{desk: d, target: t, repo: repo, base: head, files: files, scratch: scratch}
	if way.tree, err = repo.Candidate(head, files); err != nil {
		return "", fmt.Errorf("writing the tree that is restored: %w", err)
	}
	verdicts, err := way.back(ctx, head, way.tree, files, gotest.Build, gotest.Vet, gotest.Affected, gotest.All)
	if err != nil {
		return "", err
	}
	if bad, ok := standing(verdicts); !ok {
		return "", decide.Refuse("roll back what builds on it first, or restore the files by hand", "without %s the gate %q says %s: %s", p.ID, bad.Gate, strings.ReplaceAll(bad.Verdict, "_", " "), bad.Evidence)
	}
	reversed := p
	reversed.Gates = verdicts
	reversed.Patch = &archive.PatchBrief{BaseCommit: head, Tree: way.tree, Policy: p.Patch.Policy}
	return Digest(reversed), nil
}

// Later lists the adopted patches of the same repository that touch a file or a
// package of p after it, the latest first.
func (d *Desk) Later(ctx context.Context, p archive.ProposalRecord) ([]string, error) {
	packages := folders(p)
	var found []archive.ProposalRecord
	for other, err := range d.Archive.Proposals(ctx) {
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

// folders are the packages that a patch touches.
func folders(p archive.ProposalRecord) []string {
	var out []string
	for _, f := range p.Files {
		if dir := path.Dir(f.Path); !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}
