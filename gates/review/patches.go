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

// target returns the target with a name.
func (rev *Reviewer) target(name string) (Target, error) {
	at := slices.IndexFunc(rev.Targets, func(t Target) bool { return t.Name == name })
	if at >= 0 {
		return rev.Targets[at], nil
	}
	if len(rev.Targets) == 0 {
		return Target{}, Refuse("name one under patches.targets of evolve.yaml, or with --repo and --allow", "there is no target for patches")
	}
	names := make([]string, len(rev.Targets))
	for i, t := range rev.Targets {
		names[i] = t.Name
	}
	return Target{}, Refuse("the targets are "+strings.Join(names, ", "), "there is no target %q", name)
}

// targetOf returns the current target of a proposal: the target in the settings or, if a
// person named the target, the one stored with the proposal. It refuses the stored target
// of an imported proposal.
func (rev *Reviewer) targetOf(p archive.ProposalRecord) (Target, error) {
	b := p.Patch
	if !b.Named && p.Imported != "" {
		return Target{}, Refuse("propose the patch here", "%s was imported, and evolve.yaml does not name its target", p.ID)
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

// start returns the slash-separated folder, below the root of the working tree, that a target
// names: its commands start there. It is empty for the root, and where there is no repository.
func (rev *Reviewer) start(t Target) string {
	repo, err := patch.Open(t.Repo, rev.Env)
	if err != nil {
		return ""
	}
	return repo.Below()
}

// Unified returns the change as people and reviewers see it: a diff of its own, in
// which deceptive characters are escaped.
func Unified(p archive.ProposalRecord) string { return diff.Render(files(p), shownContext) }

// shownContext is the number of context lines shown around a change.
const shownContext = 3

// StalePatch returns the reason why a patch that awaits a decision would be gated again
// before its adoption, or "" if nothing that its gates depended on has changed.
func (rev *Reviewer) StalePatch(p archive.ProposalRecord) string {
	if p.State != archive.Awaiting && p.State != archive.HumanLane {
		return ""
	}
	t, err := rev.targetOf(p)
	if err != nil {
		return err.Error()
	}
	if _, policy, err := t.terms(); err != nil || policy != p.Patch.Policy {
		return "what its target allows has changed"
	}
	repo, err := rev.open(t)
	if err != nil {
		return err.Error()
	}
	switch _, head, err := repo.Head(); {
	case err != nil:
		return err.Error()
	case head != p.Patch.BaseCommit:
		return fmt.Sprintf("its target moved to %.12s", head)
	}
	return ""
}

// Limits is the warning that every reader of a gated patch gets.
const Limits = "outputs that are hard-coded for the tests can pass every gate: read the diff"
