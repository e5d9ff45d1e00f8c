package review

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/gates"
	"evolve/mutate/evidence"
	"evolve/patch"
	"evolve/runtime/agent"
)

// fileSubject is the subject of a proposal that changes an agent's files in the workspace:
// the files of its config, or one of its tools or skills.
type fileSubject struct {
	*session
	p     archive.ProposalRecord
	agent *Agent
}

// resolve finds the agent that the proposal is for. It refuses a proposal that changes
// files outside those of its kind, because the record can come from an altered archive.
func (f *fileSubject) resolve() error {
	a, ok := f.Reviewer.agent(f.p.Agent)
	if !ok {
		return Refuse("restore the agent's folder, or reject the proposal", "proposal %s is for the agent %q, which the workspace no longer has", f.p.ID, f.p.Agent)
	}
	f.agent = a
	own := a.ConfigFiles
	switch f.p.Kind {
	case archive.KindTool:
		_, name := Written(f.p)
		own = append(toolFiles(a.ID, name), skillFile(a.ID, name))
	case archive.KindMemory:
		own = memoryFiles(a.ID)
	}
	for _, name := range paths(f.p) {
		if !slices.Contains(own, name) {
			return Refuse("reject the proposal; `evolve run` proposes a new one", "%s changes %s, which a proposal of kind %s may not change", f.p.ID, name, f.p.Kind)
		}
	}
	return nil
}

func (f *fileSubject) repository() (*patch.Repository, error) { return f.workRepository() }

// gates returns the gates for the proposal.
func (f *fileSubject) gates(ctx context.Context, repo *patch.Repository) ([]gates.Gate, error) {
	switch f.p.Kind {
	case archive.KindTool:
		return f.writtenGates(repo), nil
	case archive.KindMemory:
		return f.memoryGates(repo), nil
	}
	return f.configGates(ctx, repo)
}

// adoptable refuses a proposal that is stale or whose gates, run again on the current
// files, do not pass. It also refuses a config that differs from its variant or whose claim
// does not hold.
func (f *fileSubject) adoptable(ctx context.Context, p *archive.ProposalRecord, d Decision) error {
	stored := *p
	now, hint := f.agent.Base, "`evolve run` measures it again on the current files"
	if p.Kind == archive.KindTool || p.Kind == archive.KindMemory {
		var err error
		if now, err = f.baseOf(f.agent, *p); err != nil {
			return err
		}
		hint = "reject the proposal; an agent can write the tool again, and a run can draft the skill again"
		if p.Kind == archive.KindMemory {
			hint = "`evolve memory propose " + p.Agent + "` proposes it again, for the files as they are now"
		}
	}
	changed, err := moved(ctx, f.store, *p, now, f.agent.Suites)
	if err != nil {
		return err
	}
	if len(changed) > 0 {
		return Refuse(hint, "%s is stale: %s changed since the measurement", p.ID, join(changed))
	}
	repo, err := f.repository()
	if err != nil {
		return err
	}
	list, err := f.gates(ctx, repo)
	if err != nil {
		return err
	}
	p.Gates = gates.Run(ctx, list)
	if lane := gates.Lane(p.Gates); lane != archive.Awaiting && (lane != archive.HumanLane || !d.overrides()) {
		for _, g := range p.Gates {
			if g.Verdict != string(gates.Passed) {
				return Refuse("`evolve show "+p.ID+"` shows every gate", "the verdict of the gate %q is %s: %s", g.Gate, verdictName(g), g.Evidence)
			}
		}
		return errors.New("no gate was run")
	}
	if err := f.matchesVariant(ctx); err != nil {
		return err
	}
	if err := Bound(ctx, f.store, stored); err != nil {
		return err
	}
	return f.checkClaim(ctx)
}

// matchesVariant refuses a proposal for a config if its files or its list of changes do not
// match its variant. A person reads the list, but the measurements are of the variant.
func (f *fileSubject) matchesVariant(ctx context.Context) error {
	if f.p.Kind != archive.KindConfig {
		return nil
	}
	const hint = "reject the proposal; `evolve run` proposes a new one"
	v, err := f.store.Variant(ctx, f.agent.ID, f.p.Variant)
	if err != nil {
		return fmt.Errorf("reading the variant: %w", err)
	}
	want := f.agent.Files(v.Config)
	for _, c := range f.p.Files {
		if !same(c.New, want[c.Path]) {
			return Refuse(hint, "%s writes %s with content that differs from its variant's", f.p.ID, c.Path)
		}
	}
	equal := func(x, y archive.Change) bool {
		return x.Param == y.Param && agent.Config{x.Param: x.Old}.Equal(agent.Config{y.Param: y.Old}) &&
			agent.Config{x.Param: x.New}.Equal(agent.Config{y.Param: y.New})
	}
	if !slices.EqualFunc(f.p.Changes, Changes(f.agent.Space.Names(), f.agent.Champion, v.Config), equal) {
		return Refuse(hint, "%s lists changes that differ from those of its variant", f.p.ID)
	}
	return nil
}

// checkClaim recomputes the proposal's claim from the stored evaluations. It fails with
// archive.ErrCorrupt if the result differs from the proposal or from the result of its run.
// It refuses a proposal whose claim cannot be recomputed or no longer holds under the
// current settings.
func (f *fileSubject) checkClaim(ctx context.Context) error {
	err := evidence.Proposal(ctx, f.store, f.p, f.agent.Rules)
	var shifted *evidence.Shifted
	switch {
	case err == nil:
		return nil
	case errors.As(err, &shifted):
		return Refuse("`evolve run` measures it again; `evolve help workspace` explains guards and confirm", "%s was measured under different settings: %s", f.p.ID, shifted)
	case errors.Is(err, evidence.ErrNoRuling):
		return Refuse("`evolve run --resume` continues the run and computes the ruling again", "%s cannot be approved: %s", f.p.ID, err)
	case errors.Is(err, evidence.ErrGone):
		return Refuse("`evolve run` measures it again", "the claim of %s cannot be computed again: %s", f.p.ID, err)
	}
	return fmt.Errorf("computing the claim of %s again: %w", f.p.ID, err)
}

func (f *fileSubject) ready(ctx context.Context, repo *patch.Repository, change []patch.File, d Decision) error {
	var names []string
	for _, c := range change {
		names = append(names, c.Path)
	}
	if err := f.committable(names...); err != nil {
		return err
	}
	if err := withoutCredentials(change); err != nil {
		return err
	}
	if repo == nil {
		return f.mayInit(ctx, d.Initial)
	}
	branch, _, err := repo.Head()
	if err != nil {
		return err
	}
	if branch == "" {
		return Refuse("check out the branch that should get the commit, for example with `git switch main`", "no branch is checked out in the workspace")
	}
	dirty, err := repo.Dirty(ctx, names)
	if err != nil {
		return needsGit(err)
	}
	blocked := hindered(repo.Movable(ctx, change))
	places, err := repo.Checkouts(branch)
	if err != nil {
		return err
	}
	for _, c := range places {
		if c.Busy != "" {
			return Refuse("finish or abort that operation, then repeat the command", "a %s of the branch is in progress in %s", c.Busy, c.Folder)
		}
	}
	var why *patch.HinderedError
	if len(dirty) > 0 && (!errors.As(blocked, &why) || !why.Rewrites) {
		return uncommitted(dirty)
	}
	return blocked
}

// begin returns the workspace's repository. If there is none, it creates the repository
// with a commit of the files that the person was shown.
func (f *fileSubject) begin(ctx context.Context, who patch.Person, d Decision) (*patch.Repository, error) {
	repo, err := f.repository()
	if repo != nil || err != nil {
		return repo, err
	}
	if err := f.mayInit(ctx, d.Initial); err != nil {
		return nil, err
	}
	return patch.Start(ctx, f.Workspace.Root, f.Env, d.Initial, "evolve: the workspace as it was before the first adoption\n", who)
}

func (f *fileSubject) movable(ctx context.Context, repo *patch.Repository, _ string, m *move) error {
	if err := f.committable(paths(m.proposal)...); err != nil {
		return err
	}
	return hindered(repo.Movable(ctx, m.change))
}

func (f *fileSubject) forward(ctx context.Context, repo *patch.Repository, m patch.Move) error {
	if err := repo.Forward(ctx, m.New); err != nil {
		return fmt.Errorf("committing: %w", err)
	}
	return nil
}

func (f *fileSubject) landed(ctx context.Context, repo *patch.Repository, _, commit, tree string, change []patch.File) error {
	return repo.Landed(ctx, "", commit, tree, change)
}

// reversible refuses a rollback if a file has changed since the adoption, or if the files
// from before the adoption would not load. If the files on disk have already been restored
// but the rollback is not committed, an earlier attempt was stopped during the commit.
func (f *fileSubject) reversible(ctx context.Context, r *reversal, d Decision) error {
	if back, err := differing(r.files, f.onDisk); err != nil || len(back) == 0 && !r.there {
		return err
	}
	if r.there {
		repo, err := f.repository()
		if err != nil {
			return err
		}
		return f.ready(ctx, repo, unmoved(r.files), d)
	}
	if err := f.unchanged(ctx, r.files, d); err != nil {
		return err
	}
	return f.restorable(ctx, r.files)
}

// unchanged refuses a rollback if a file has changed since the adoption. It compares the
// files in HEAD, because git may convert files in the working tree (filters, line endings).
func (f *fileSubject) unchanged(ctx context.Context, reverse []patch.File, d Decision) error {
	repo, err := f.repository()
	if err != nil {
		return err
	}
	var changed []string
	if repo == nil {
		changed, err = differing(files(f.p), f.onDisk)
	} else {
		var head string
		if _, head, err = repo.Head(); err == nil {
			changed, err = differing(files(f.p), at(repo, head))
		}
	}
	if err != nil {
		return err
	}
	if len(changed) == 0 {
		return f.ready(ctx, repo, reverse, d)
	}
	later, err := f.adoptedLater(ctx, f.p, f.touches)
	if err != nil {
		return err
	}
	return changedSince(f.p, changed, later, "restore them, or edit them by hand")
}

func (f *fileSubject) touches(other archive.ProposalRecord) bool { return overlap(other, f.p) }
