package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/patch"
	"evolve/runtime/text"
)

// branchGroup holds the data needed to handle the proposals for one repository: the
// repository, its remote, and the branches found there.
type branchGroup struct {
	*Reviewer
	archiveID string
	repo      *patch.Repository
	remote    *patch.Remote
	tips      patch.Tips
	// base is the branch into which the proposals are to be merged, and tip is its commit.
	base, tip string
}

// SyncBranches pushes the branches of proposals that await a person, records merges,
// reverts and closings at their remotes as decisions, and deletes the branches of proposals
// that were decided or replaced. For a month, a merge of a deleted branch counts like any
// other merge. SyncBranches never writes to branches that are not evolve's own, nor to a
// branch that someone else has moved. A step that fails for now, for example because there
// is no network, is reported in Trouble, and the next call repeats it. list holds the
// stored proposals. An error in the archive or in a local repository is returned; except
// for a locked archive, it does not prevent the handling of the other proposals.
func (rev *Reviewer) SyncBranches(ctx context.Context, list []archive.ProposalRecord) ([]BranchState, error) {
	list = slices.DeleteFunc(slices.Clone(list), func(p archive.ProposalRecord) bool { return !branched(p) && !rev.late(p) })
	if rev.Branching == nil || len(list) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(rev.Branching.Time, branchTime))
	defer cancel()
	groups := map[string][]archive.ProposalRecord{}
	var names []string
	for _, p := range list {
		name := ""
		if p.Patch != nil {
			name = p.Patch.Repository
		}
		if groups[name] == nil {
			names = append(names, name)
		}
		groups[name] = append(groups[name], p)
	}
	var out []BranchState
	var errs []error
	for _, name := range names {
		g, why := rev.askRemote(ctx, groups[name])
		for _, p := range groups[name] {
			state, err := rev.syncBranch(ctx, g, p.ID, why)
			if err != nil {
				errs = append(errs, fmt.Errorf("the branch of %s: %w", p.ID, err))
			}
			if errors.Is(err, archive.ErrLocked) {
				return out, err
			}
			if quiet := (state.State == archive.Adopted || rev.late(p)) && state.Did+state.Note+state.Trouble == ""; state.Proposal != "" && !quiet {
				out = append(out, state)
			}
		}
	}
	return out, errors.Join(errs...)
}

// findBase lists the branches at the remote of a repository and determines the branch into
// which proposals are to be merged.
func (rev *Reviewer) findBase(ctx context.Context, repo *patch.Repository) (*branchGroup, error) {
	g := &branchGroup{Reviewer: rev, repo: repo}
	var err error
	if g.remote, err = g.repo.Remote(ctx, rev.Branching.Remote); err != nil {
		return nil, err
	}
	current, _, err := g.repo.Head()
	if err != nil {
		return nil, err
	}
	current = strings.TrimPrefix(current, "refs/heads/")
	var asked []string
	for _, name := range []string{rev.Branching.Base, current} {
		if name != "" {
			asked = append(asked, name)
		}
	}
	if g.tips, err = g.remote.Tips(ctx, branchPrefix, asked...); err != nil {
		return nil, err
	}
	g.base = cmp.Or(rev.Branching.Base, g.tips.Default, current)
	if g.tips.Branches[g.base] == "" || strings.HasPrefix(g.base, branchPrefix) {
		return nil, fmt.Errorf("%s has no branch %s into which proposals could be merged", rev.Branching.Remote, text.Quote(g.base))
	}
	return g, nil
}

// askRemote lists the branches at the remote of the proposals' repository. It fetches the
// commits of the base branch and of the proposals' branches.
func (rev *Reviewer) askRemote(ctx context.Context, list []archive.ProposalRecord) (*branchGroup, error) {
	repo, err := rev.repositoryOf(list[0])
	if err != nil {
		return nil, err
	}
	g, err := rev.findBase(ctx, repo)
	if err != nil {
		return nil, err
	}
	fetch := []string{g.base}
	for _, p := range list {
		if name := branchName(p.ID) + "-rollback"; g.tips.Branches[name] != "" && p.State == archive.Adopted {
			fetch = append(fetch, name)
		}
		name := branchName(p.ID)
		if p.Branch != nil {
			name = p.Branch.Name
		}
		if g.tips.Branches[name] != "" {
			fetch = append(fetch, name)
		}
	}
	got, err := g.remote.Fetch(ctx, g.tips, fetch...)
	if err != nil {
		return nil, err
	}
	for name, commit := range got {
		g.tips.Branches[name] = commit
	}
	g.tip = g.tips.Branches[g.base]
	return g, nil
}

// rests returns the commit at which the branch of a proposal begins.
func (g *branchGroup) rests(p archive.ProposalRecord) string {
	if parents := g.repo.Parents(p.Branch.Commit); len(parents) > 0 {
		return parents[0]
	}
	base, _ := g.restsOn(g.repo, p)
	return base
}

// syncBranch takes the next steps for one branch. The parameter why is the error if the
// branch's remote could not be reached.
func (rev *Reviewer) syncBranch(ctx context.Context, g *branchGroup, id string, why error) (state BranchState, err error) {
	var p archive.ProposalRecord
	err = rev.retryLocked(ctx, func(ctx context.Context, s *session) (err error) {
		if p, err = s.find(ctx, id); err != nil || !branched(p) && !rev.late(p) {
			return err
		}
		if awaits(p) && vetoed(p) == nil {
			p, err = s.prepare(ctx, p)
		}
		if g != nil && err == nil {
			g.archiveID, err = s.store.ID(ctx)
		}
		return err
	})
	state = BranchState{Proposal: p.ID, State: p.State, Remote: rev.Branching.Remote, Branch: branchName(id)}
	var cannot unpushable
	var refused *RefusedError
	if errors.As(err, &cannot) || errors.As(err, &refused) {
		state.Trouble = err.Error()
		return state, nil
	}
	late := rev.late(p)
	if err != nil || !branched(p) && !late || p.Branch == nil || late && why != nil {
		return BranchState{}, err
	}
	state.Remote, state.Branch, state.Base, state.Commit = p.Branch.Remote, p.Branch.Name, p.Branch.Base, p.Branch.Commit
	if why == nil && g != nil {
		state.Base = g.base
		err = g.sync(ctx, &p, &state)
		state.State = p.State
		if p.Branch != nil {
			state.Branch = p.Branch.Name
		}
	} else {
		err = why
	}
	var far *farError
	switch {
	case errors.Is(ctx.Err(), context.Canceled): // a person stopped it
		return state, nil
	case err == nil:
	case why != nil, errors.As(err, &far), errors.As(err, &cannot), errors.As(err, &refused):
		state.Trouble, err = patch.WithoutUser(err.Error()), nil
	case ctx.Err() != nil: // git was stopped
		state.Trouble, err = "the time allowed for accessing remotes ran out", nil
	default:
		return state, err
	}
	return state, rev.keepTrouble(ctx, id, state.Trouble)
}

// farError is an error at a remote, or from the program that opens pull requests.
type farError struct{ error }

func (e *farError) Unwrap() error { return e.error }

func far(err error) error {
	if err == nil {
		return nil
	}
	return &farError{err}
}

// keepTrouble records why a branch could not be pushed or examined; "" clears an earlier
// reason.
func (rev *Reviewer) keepTrouble(ctx context.Context, id, why string) error {
	why = text.Clip(text.OneLine(why), maxEvidence, text.Ellipsis)
	return rev.change(ctx, id, func(_ context.Context, _ *session, p *archive.ProposalRecord) (bool, error) {
		if p.Branch == nil || p.Branch.Trouble == why {
			return false, nil
		}
		p.Branch.Trouble = why
		return true, nil
	}, "", nil)
}

// change changes a stored proposal's branch and adds a ledger entry if kind is not empty.
// It calls how, which changes the record and reports whether to store it. The record's
// branch is a copy, so how may modify it.
func (rev *Reviewer) change(ctx context.Context, id string, how func(context.Context, *session, *archive.ProposalRecord) (bool, error), kind string, data any) error {
	return rev.retryLocked(ctx, func(ctx context.Context, s *session) error {
		p, err := s.find(ctx, id)
		if err != nil {
			return err
		}
		if p.Branch != nil {
			b := *p.Branch
			p.Branch = &b
		}
		if changed, err := how(ctx, s, &p); err != nil || !changed {
			return err
		}
		if kind != "" {
			return s.record(ctx, p, kind, robot, data)
		}
		if err := s.store.PutProposal(ctx, p); err != nil {
			return fmt.Errorf("recording the branch of %s: %w", id, err)
		}
		return nil
	})
}

// sync compares a branch with the remote and takes the steps that follow: it records a
// merge, a deletion or a revert, pushes or deletes the branch, or opens its pull request.
func (g *branchGroup) sync(ctx context.Context, p *archive.ProposalRecord, state *BranchState) error {
	if p.State == archive.Adopted {
		return errors.Join(g.noticeRevert(ctx, p, state), g.behind(ctx, *p, state))
	}
	find := g.merge
	if g.late(*p) {
		find = g.lateMerge
	}
	commit, err := find(ctx, *p)
	if err != nil {
		return err
	}
	if commit != "" {
		return errors.Join(g.noticeMerge(ctx, p, commit, state), g.behind(ctx, *p, state))
	}
	if g.late(*p) {
		return nil
	}
	b, tip := p.Branch, g.tips.Branches[p.Branch.Name]
	if !awaits(*p) {
		return g.drop(ctx, p, tip, state)
	}
	switch {
	case tip == "" && b.Pushed != "":
		return g.noticeClosing(ctx, p, state)
	case tip != "" && tip != b.Commit && tip != b.Pushed:
		if b.Pushed != "" {
			state.Note = fmt.Sprintf("someone else moved the branch to %.12s, so evolve leaves it unchanged", tip)
			return nil
		}
		if err := g.foreignTip(ctx, p, tip); err != nil {
			return err
		}
		tip = g.tips.Branches[p.Branch.Name]
	}
	if err := g.hasBase(ctx, *p); err != nil {
		return err
	}
	if tip != p.Branch.Commit {
		if err := g.push(ctx, p, tip); err != nil {
			return err
		}
		state.Did = "pushed"
	}
	if p.Branch.Pushed != p.Branch.Commit {
		if err := g.recordPushed(ctx, p); err != nil {
			return err
		}
		state.Did = "pushed"
	}
	state.Branch, state.Commit = p.Branch.Name, p.Branch.Commit
	return g.open(ctx, p)
}

// behind adds a note to the state if the commit that is checked out here does not contain
// the proposal's merge, because the next night starts from the checked-out files.
func (g *branchGroup) behind(ctx context.Context, p archive.ProposalRecord, state *BranchState) error {
	if mergedAs(p) == nil {
		return nil
	}
	_, head, err := g.repo.Head()
	if err != nil {
		return err
	}
	in, err := g.repo.Contains(ctx, head, p.AdoptedCommit)
	if err == nil && !in {
		note := "the branch that is checked out here does not contain the merge yet: git pull --ff-only " + p.Branch.Remote + " " + g.base
		state.Note = strings.TrimPrefix(state.Note+"; "+note, "; ")
	}
	return err
}

// foreignTip handles a branch at the remote that has the name of a proposal's branch,
// although no push of that branch was recorded. If it makes the same change to the same
// commit, it is the proposal's own branch, and the record of the push was lost. Otherwise
// it belongs to another workspace, so the proposal's branch gets another name.
func (g *branchGroup) foreignTip(ctx context.Context, p *archive.ProposalRecord, tip string) error {
	b := *p.Branch
	own, err := g.repo.TreeOf(b.Commit)
	if err != nil {
		return err
	}
	other, err := g.repo.TreeOf(tip)
	if err != nil {
		return err
	}
	if own == other && slices.Equal(g.repo.Parents(b.Commit), g.repo.Parents(tip)) {
		b.Commit = tip
	} else if b.Name == branchName(p.ID) {
		b.Name += "-" + b.Commit[:12]
	} else {
		return unpushable(fmt.Sprintf("%s already has a branch %s", b.Remote, b.Name))
	}
	p.Branch = &b
	return g.change(ctx, p.ID, func(_ context.Context, _ *session, now *archive.ProposalRecord) (bool, error) {
		now.Branch = &b
		return true, nil
	}, "", nil)
}

// hasBase returns an error if the base branch at the remote lacks the commit on which a
// proposal is based. In that case, the commit was never pushed, or the history of the
// base branch was rewritten.
func (g *branchGroup) hasBase(ctx context.Context, p archive.ProposalRecord) error {
	base := g.rests(p)
	in, err := g.repo.Contains(ctx, g.tip, base)
	if err == nil && !in {
		err = unpushable(fmt.Sprintf("%s on %s does not contain the commit %.12s on which the proposal is based", g.base, p.Branch.Remote, base))
	}
	return err
}

// push pushes the commit of a proposal's branch. tip is the commit that the branch must
// have at the remote before the push; "" means that the branch must not exist there.
func (g *branchGroup) push(ctx context.Context, p *archive.ProposalRecord, tip string) error {
	if err := g.remote.Push(ctx, p.Branch.Name, p.Branch.Commit, tip); err != nil {
		return far(err)
	}
	return g.step(StepPushed)
}

// recordPushed records that the remote has the branch.
func (g *branchGroup) recordPushed(ctx context.Context, p *archive.ProposalRecord) error {
	b := *p.Branch
	b.Pushed, b.Base, b.Trouble = b.Commit, g.base, ""
	p.Branch = &b
	err := g.change(ctx, p.ID, func(_ context.Context, _ *session, now *archive.ProposalRecord) (bool, error) {
		known := now.Branch != nil && now.Branch.Pushed == b.Commit // another process was faster
		now.Branch = &b
		return !known, nil
	}, entryBranch, map[string]string{"remote": b.Remote, "branch": b.Name, "base": b.Base, "commit": b.Commit})
	if err != nil {
		return err
	}
	return g.step(StepListed)
}

// open has the operator's program open the pull request for a pushed branch. It does
// nothing if there is no program, or if the program has already opened the pull request.
func (g *branchGroup) open(ctx context.Context, p *archive.ProposalRecord) error {
	if g.Branching.Open == nil || p.Branch.Opened {
		return nil
	}
	if err := g.openPullRequest(ctx, p.ID, p.Branch.Name, p.Branch.Commit); err != nil {
		return err
	}
	return g.change(ctx, p.ID, func(_ context.Context, _ *session, now *archive.ProposalRecord) (bool, error) {
		now.Branch.Opened = true
		return true, nil
	}, "", nil)
}

func (g *branchGroup) openPullRequest(ctx context.Context, id, branch, commit string) error {
	m, _ := g.repo.MessageOf(commit)
	r := PullRequest{Proposal: id, Folder: g.repo.Folder(), Remote: g.Branching.Remote, Branch: branch, Base: g.base, Commit: commit}
	r.Title, r.Body = titleAndBody(m.Text)
	if err := g.Branching.Open(ctx, r); err != nil {
		return far(fmt.Errorf("the pull request was not opened: %w", err))
	}
	return g.step(StepOpened)
}

// drop deletes the branch of a proposal that was decided or replaced, unless someone else
// has moved the branch.
func (g *branchGroup) drop(ctx context.Context, p *archive.ProposalRecord, tip string, state *BranchState) error {
	b := p.Branch
	kind := ""
	switch {
	case tip == "":
	case tip != b.Pushed && tip != b.Commit:
		if b.Pushed != "" {
			state.Note = fmt.Sprintf("someone else moved the branch to %.12s, so evolve leaves it unchanged", tip)
		}
	default:
		if err := g.remote.Push(ctx, b.Name, "", tip); err != nil {
			return far(err)
		}
		state.Did, kind = "deleted", entryUnbranch
	}
	return g.change(ctx, p.ID, func(_ context.Context, _ *session, now *archive.ProposalRecord) (bool, error) {
		now.Branch.Over = true
		return true, nil
	}, kind, map[string]string{"remote": b.Remote, "branch": b.Name})
}
