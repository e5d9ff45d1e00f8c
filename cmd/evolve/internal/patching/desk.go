package patching

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/decide"
	"evolve/gates"
	"evolve/gates/gotest"
	"evolve/patch"
	"evolve/patch/diff"
	"evolve/runtime/sandbox"
)

// Desk proposes, gates and reviews patches, and carries out decisions on them.
type Desk struct {
	// Archive lends the archive for short work. No gate runs and no model is called while
	// it is lent, so that others can write to it.
	Archive Lender
	// Targets are those of the settings, or the one that a person named.
	Targets []Target
	// Env is the environment for native git and for Go.
	Env []string
	Now func() time.Time
	// Scratch is an absolute folder for exported trees; Cache is one for build caches,
	// in Scratch when it is empty.
	Scratch, Cache string
	// Sandbox detects the sandboxes of this machine.
	Sandbox func() sandbox.Sandbox
	// Unwalled permits running tests without a sandbox where there is none.
	Unwalled bool
	// Trial prepares an agent from the trees of a patch; nil if no agent can be run.
	Trial func(context.Context, TrialAsk) (*Trial, error)
	// Reviewers take turns, in this order.
	Reviewers []Reviewer
	// Told receives messages about delays that other work causes; it may be nil.
	Told func(text string)
	// Run is the nightly run that the desk works for and Budget is what it may spend; ""
	// and nil when a person runs the command.
	Run    string
	Budget *bench.Budget
	// Program reports whether a program is configured to run after an adoption or a
	// rollback.
	Program bool

	// tests replaces the gates of a lab in tests; otherwise nil.
	tests func(gotest.Change) []gates.Gate
	// Reached is called at every step of a proposal; its error stops the proposal there,
	// as a crash would. Nil except in tests.
	Reached func(step string) error
}

// robot is the author of proposal commits. The commit of an adoption has the approving
// person as its author.
const robot = "evolve"

// target returns the target with a name.
func (d *Desk) target(name string) (Target, error) {
	at := slices.IndexFunc(d.Targets, func(t Target) bool { return t.Name == name })
	if at >= 0 {
		return d.Targets[at], nil
	}
	if len(d.Targets) == 0 {
		return Target{}, decide.Refuse("name one under patches.targets of evolve.yaml, or with --repo and --allow", "there is no target for patches")
	}
	names := make([]string, len(d.Targets))
	for i, t := range d.Targets {
		names[i] = t.Name
	}
	return Target{}, decide.Refuse("the targets are "+strings.Join(names, ", "), "there is no target %q", name)
}

// targetOf returns the current target of a proposal: that of the settings or, if a person
// named it, the one stored with the proposal. It refuses the stored one of an import.
func (d *Desk) targetOf(p archive.ProposalRecord) (Target, error) {
	b := p.Patch
	if !b.Named && p.Imported != "" {
		return Target{}, decide.Refuse("propose the patch here", "%s was imported, and the settings do not name its target", p.ID)
	}
	if !b.Named {
		t, err := targetFrom(b.Terms)
		t.Name, t.Repo = b.Target, b.Repository
		return t, err
	}
	return d.target(b.Target)
}

// open opens the repository of a target at the root of its working tree.
func (d *Desk) open(t Target) (*patch.Repository, error) {
	repo, err := patch.Open(t.Repo, d.Env)
	if err == nil && repo.Top() != "" { // paths are relative to the root of the repository
		repo, err = patch.Open(repo.Top(), d.Env)
	}
	var unsupported *patch.UnsupportedError
	switch {
	case errors.As(err, &unsupported):
		return nil, decide.Refuse(unsupported.Hint(), "%s", unsupported)
	case errors.Is(err, patch.ErrNoRepository):
		return nil, decide.Refuse("git init, and commit what is there", "%s is in no git repository with a commit", t.Repo)
	case err != nil:
		return nil, err
	}
	return repo, nil
}

// Find returns a proposal of a patch.
func (d *Desk) Find(ctx context.Context, id string) (archive.ProposalRecord, error) {
	var p archive.ProposalRecord
	err := d.Archive(ctx, func(a *archive.Archive) (err error) {
		p, err = find(ctx, a, id)
		return err
	})
	return p, err
}

// find returns the record of a patch, or an error if the proposal is not a patch.
func find(ctx context.Context, a *archive.Archive, id string) (archive.ProposalRecord, error) {
	p, err := a.Proposal(ctx, id)
	switch {
	case errors.Is(err, archive.ErrNotFound):
		return p, decide.Refuse("`evolve patch list` lists them", "there is no proposal %q", id)
	case err != nil:
		return p, fmt.Errorf("reading proposal %s: %w", id, err)
	case p.Patch == nil:
		return p, decide.Refuse("`evolve show "+p.ID+"` tells of it", "%s is no patch", p.ID)
	}
	return p, nil
}

// say reports why the user has to wait.
func (d *Desk) say(format string, args ...any) {
	if d.Told != nil {
		d.Told(fmt.Sprintf(format, args...))
	}
}

// step reports a step of a proposal to Reached.
func (d *Desk) step(name string) error {
	if d.Reached == nil {
		return nil
	}
	return d.Reached(name)
}

// Change returns what a proposal changes, in the types of package patch.
func Change(p archive.ProposalRecord) []patch.File {
	out := make([]patch.File, len(p.Files))
	for i, f := range p.Files {
		out[i] = patch.File{Path: f.Path, Old: f.Old, New: f.New}
	}
	return out
}

// Unified returns the change as people and reviewers see it: the desk's own diff, in
// which deceptive characters are escaped.
func Unified(p archive.ProposalRecord) string { return diff.Render(Change(p), shownContext) }

// shownContext is the number of context lines shown around a change.
const shownContext = 3

// Stale returns why a patch that awaits a decision would be gated again before its
// adoption, or "" if nothing that its gates depended on has changed.
func (d *Desk) Stale(p archive.ProposalRecord) string {
	if p.State != archive.Awaiting && p.State != archive.HumanLane {
		return ""
	}
	t, err := d.targetOf(p)
	if err != nil {
		return err.Error()
	}
	if policy, err := t.policy(); err != nil || policy != p.Patch.Policy {
		return "what its target allows has changed"
	}
	repo, err := d.open(t)
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
const Limits = "outputs that are hard-coded to the tests can pass every gate: read the diff"

// paths returns the paths that a proposal changes.
func paths(p archive.ProposalRecord) []string {
	out := make([]string, len(p.Files))
	for i, f := range p.Files {
		out[i] = f.Path
	}
	return out
}

// Undecided reports whether a patch may still be decided on.
func Undecided(s archive.ProposalState) bool {
	return slices.Contains([]archive.ProposalState{archive.Drafted, archive.Awaiting, archive.HumanLane, archive.GateFailed}, s)
}
