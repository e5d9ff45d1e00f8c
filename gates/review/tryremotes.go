package review

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/patch"
)

// RemoteTrial is the result of checking whether the branches of proposals can be pushed
// from one repository.
type RemoteTrial struct {
	// Folder is the root of the repository's working tree.
	Folder string
	// Remote is the name of the remote, and Base the branch there into which proposals are
	// to be merged.
	Remote, Base string
	// Err is the reason why branches cannot be pushed; nil if there is none.
	Err error
}

// tryBranch is the name of the branch for which a trial checks whether it could be pushed.
// It is never actually pushed.
const tryBranch = branchPrefix + "doctor"

// TryRemotes contacts the remote of each repository that can have proposals, as
// [Reviewer.SyncBranches] does, and checks whether the remote accepts branches. It changes
// nothing at the remote. own reports whether there may be proposals for the workspace's own
// repository.
func (rev *Reviewer) TryRemotes(ctx context.Context, own bool) []RemoteTrial {
	if rev.Branching == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(rev.Branching.Time, branchTime))
	defer cancel()
	var out []RemoteTrial
	try := func(folder string, open func() (*patch.Repository, error)) {
		r := RemoteTrial{Folder: folder, Remote: rev.Branching.Remote}
		repo, err := open()
		if err == nil {
			r.Folder = cmp.Or(repo.Top(), folder)
			r.Base, err = rev.tryRemote(ctx, repo)
		}
		r.Err = err
		if !slices.ContainsFunc(out, func(o RemoteTrial) bool { return o.Folder == r.Folder }) {
			out = append(out, r)
		}
	}
	if own {
		try(rev.Workspace.Root, func() (*patch.Repository, error) { return rev.repositoryOf(archive.ProposalRecord{}) })
	}
	for _, t := range rev.Targets {
		try(t.Repo, func() (*patch.Repository, error) { return rev.open(t) })
	}
	return out
}

// tryRemote checks whether the remote of a repository accepts branches. It returns the
// branch into which proposals for the repository are to be merged.
func (rev *Reviewer) tryRemote(ctx context.Context, repo *patch.Repository) (string, error) {
	g, err := rev.findBase(ctx, repo)
	if err != nil {
		return "", err
	}
	_, head, err := repo.Head()
	if err != nil {
		return g.base, fmt.Errorf("finding the branch that is checked out: %w", err)
	}
	return g.base, g.remote.MayPush(ctx, tryBranch, head)
}
