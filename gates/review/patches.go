package review

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/patch"
	"evolve/patch/diff"
)

// target returns the target with the given name.
func (rev *Reviewer) target(name string) (Target, error) {
	at := slices.IndexFunc(rev.Targets, func(t Target) bool { return t.Name == name })
	if at >= 0 {
		return rev.Targets[at], nil
	}
	if len(rev.Targets) == 0 {
		return Target{}, Refuse("define a target under patches.targets in evolve.yaml, or with --repo and --allow", "there is no target for patches")
	}
	names := make([]string, len(rev.Targets))
	for i, t := range rev.Targets {
		names[i] = t.Name
	}
	return Target{}, Refuse("the targets are "+strings.Join(names, ", "), "there is no target %q", name)
}

// targetOf returns the target of a proposal: the current one from the settings or, if the
// settings do not name it, the one stored with the proposal. It refuses the stored target
// of an imported proposal.
func (rev *Reviewer) targetOf(p archive.ProposalRecord) (Target, error) {
	b := p.Patch
	if !b.Named && p.Imported != "" {
		return Target{}, Refuse("propose the patch in this workspace", "%s was imported, and evolve.yaml does not name its target", p.ID)
	}
	if !b.Named {
		t, err := targetFrom(b.Terms)
		t.Name, t.Repo = b.Target, b.Repository
		return t, err
	}
	return rev.target(b.Target)
}

// open opens the repository of a target at the root of its working tree.
func (rev *Reviewer) open(t Target) (*patch.Repository, error) {
	repo, err := patch.Open(t.Repo, rev.Env)
	if err == nil && repo.Top() != "" { // paths are relative to the root of the repository
		repo, err = patch.Open(repo.Top(), rev.Env)
	}
	var unsupported *patch.UnsupportedError
	switch {
	case errors.As(err, &unsupported):
		return nil, Refuse(unsupported.Hint(), "%s", unsupported)
	case errors.Is(err, patch.ErrNoRepository):
		return nil, Refuse("run git init there, and commit the files", "%s is not in a git repository with a commit", t.Repo)
	case err != nil:
		return nil, err
	}
	return repo, nil
}

// start returns the slash-separated path of the folder in which a target's commands start,
// relative to the root of the working tree. It is empty if that folder is the root, or if
// the target's repository cannot be opened.
func (rev *Reviewer) start(t Target) string {
	repo, err := patch.Open(t.Repo, rev.Env)
	if err != nil {
		return ""
	}
	return repo.Below()
}

// Unified returns the change in the form in which people and reviewers see it: evolve's own
// diff, in which deceptive characters are escaped.
func Unified(p archive.ProposalRecord) string { return diff.Render(files(p), shownContext) }

// shownContext is the number of context lines shown around a change.
const shownContext = 3

// StalePatch returns the reason why a patch that awaits a decision would be gated again
// before its adoption, or why its target cannot be read. It returns "" if nothing on which
// the patch's gates depended has changed.
func (rev *Reviewer) StalePatch(p archive.ProposalRecord) string {
	if p.State != archive.Awaiting && p.State != archive.HumanLane {
		return ""
	}
	t, err := rev.targetOf(p)
	if err != nil {
		return err.Error()
	}
	if _, policy, err := t.terms(); err != nil || policy != p.Patch.Policy {
		return "its target now allows a different set of changes"
	}
	repo, err := rev.open(t)
	if err != nil {
		return err.Error()
	}
	switch _, head, err := repo.Head(); {
	case err != nil:
		return err.Error()
	case head != p.Patch.BaseCommit:
		return fmt.Sprintf("its target's HEAD is now commit %.12s", head)
	}
	return ""
}

// Limits is the warning that is shown to every reader of a gated patch.
const Limits = "outputs that are hard-coded for the tests can pass every gate: read the diff"
