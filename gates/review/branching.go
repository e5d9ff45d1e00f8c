package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"evolve/archive"
	"evolve/patch"
	"evolve/runtime/text"
)

// Branching makes proposals await a person's decision as branches at a remote: a merge
// there adopts a proposal, and deleting its branch rejects it.
type Branching struct {
	// Remote is the name of the remote in each repository. Base is the branch into which
	// proposals are to be merged; if empty, it is the remote's default branch, or the
	// checked-out branch if there is none.
	Remote, Base string
	// Text describes a proposal for its pull request. The description may contain untrusted
	// text.
	Text func(context.Context, *archive.Archive, archive.ProposalRecord) (string, error)
	// Open opens the pull request for a branch that was pushed; if Open is nil, a person
	// must open it. Open may be called again for the same branch if the process was
	// killed.
	Open func(context.Context, PullRequest) error
	// Merged maps the ids of proposals to the commits that a person named as their merges,
	// for merges that were altered and cannot be recognised otherwise. A commit is given in
	// full or by at least its first seven digits.
	Merged map[string]string
	// Time limits how long one call works with remotes and runs Open; 0 means a minute.
	Time time.Duration
}

// branchTime is the default of [Branching.Time].
const branchTime = time.Minute

// PullRequest describes a pull request. A person decides on it at the remote.
type PullRequest struct {
	Proposal string
	// Folder is the folder of the repository. Remote is the name of the remote in that
	// repository.
	Folder, Remote       string
	Branch, Base, Commit string
	Title, Body          string
}

// The steps in handling a branch. A process may die after any of them.
const (
	StepBranched = "branched" // the commit is written and recorded, but not pushed
	StepPushed   = "pushed"   // the remote has the branch, but that is not recorded
	StepListed   = "listed"   // that is recorded
	StepOpened   = "opened"   // the pull request is open, but that is not recorded
)

// The kinds of ledger entries about branches.
const (
	entryBranch   = "proposal.branch"   // a branch was pushed
	entryUnbranch = "proposal.unbranch" // a branch was deleted, because the proposal was decided or replaced
	entryConflict = "branch.conflict"   // a branch was merged at the remote although the proposal had been decided against here
	entryRevert   = "branch.rollback"   // a branch that reverts an adoption was pushed
)

// branchPrefix is the prefix of the names of all branches that evolve pushes. It writes to
// no other branch at a remote.
const branchPrefix = "evolve/"

// branchName returns the name of the branch of a proposal.
func branchName(id string) string { return branchPrefix + id }

// BranchState is the state of a proposal's branch after a call to [Reviewer.SyncBranches].
type BranchState struct {
	Proposal string                `json:"proposal"`
	State    archive.ProposalState `json:"state"`
	Remote   string                `json:"remote"`
	Branch   string                `json:"branch"`
	Base     string                `json:"base,omitempty"`
	// Commit is the commit of the branch, or the commit in Base that merged or reverted it.
	Commit string `json:"commit,omitempty"`
	// Did is "pushed", "merged", "closed", "reverted" or "deleted"; it is empty if
	// nothing happened.
	Did string `json:"did,omitempty"`
	// By is the person who decided, according to the commit.
	By string `json:"by,omitempty"`
	// Note is information for a person. Trouble is the reason why the branch could not be
	// pushed or examined.
	Note    string `json:"note,omitempty"`
	Trouble string `json:"trouble,omitempty"`
}

// branched reports whether a proposal has a branch at a remote or will get one.
func branched(p archive.ProposalRecord) bool {
	switch {
	case p.Imported != "" || p.Kind == archive.KindAutonomy || p.State == archive.Approved, p.State == archive.RolledBack:
		return false
	case p.Branch == nil:
		return awaits(p) && vetoed(p) == nil
	case p.State == archive.Adopted:
		return mergedAs(p) != nil
	}
	return !p.Branch.Over
}

// lateTime is how long merges of a deleted branch are still searched for after its proposal
// has ended, because someone may merge a copy of the branch.
const lateTime = 30 * 24 * time.Hour

// late reports whether a proposal's branch is no longer in use, although merges of the
// branch are still searched for.
func (rev *Reviewer) late(p archive.ProposalRecord) bool {
	b := p.Branch
	if b == nil || !b.Over || b.Pushed == "" || b.Against != "" || p.Imported != "" || p.State != archive.Rejected && p.State != archive.Superseded {
		return false
	}
	ended := p.Created
	if p.Decision != nil {
		ended = p.Decision.Time
	}
	return rev.Now().Sub(ended) < lateTime
}

// awaits reports whether a proposal awaits a person who may approve it.
func awaits(p archive.ProposalRecord) bool {
	return p.State == archive.Awaiting || p.State == archive.HumanLane
}

// mergedAs returns the merge by which a proposal was adopted, or nil if it was not adopted
// by a merge.
func mergedAs(p archive.ProposalRecord) *archive.MergeBrief {
	if p.State != archive.Adopted || p.Decision == nil {
		return nil
	}
	return p.Decision.Merge
}

// PrepareBranches writes and records the commit of a branch for each proposal that awaits a
// person and has no branch yet. It does not access the remote.
func (rev *Reviewer) PrepareBranches(ctx context.Context) error {
	if rev.Branching == nil {
		return nil
	}
	return rev.with(ctx, func(s *session) error {
		list, err := proposals(ctx, s.store, func(p archive.ProposalRecord) bool { return branched(p) && p.Branch == nil })
		var errs []error
		for _, p := range list {
			if _, err := s.prepare(ctx, p); err != nil {
				errs = append(errs, fmt.Errorf("preparing the branch of %s: %w", p.ID, err))
			}
		}
		return errors.Join(err, errors.Join(errs...))
	})
}

// unpushable is the reason why a proposal cannot be pushed now.
type unpushable string

func (e unpushable) Error() string { return string(e) }

// prepare writes the commit for a proposal's branch and records the commit. It does
// nothing if this was already done for the proposal's current content.
func (s *session) prepare(ctx context.Context, p archive.ProposalRecord) (archive.ProposalRecord, error) {
	repo, err := s.repositoryOf(p)
	if err != nil {
		return p, err
	}
	b := archive.BranchBrief{Remote: s.Branching.Remote, Name: branchName(p.ID)}
	if p.Branch != nil {
		b = *p.Branch
	}
	if b.Commit != "" && b.From == p.Commit && (b.Pushed != "" || len(repo.Parents(b.Commit)) > 0) {
		return p, nil
	}
	if b.Commit == "" {
		if err := s.notStale(ctx, p); err != nil {
			return p, err
		}
	}
	base, err := s.restsOn(repo, p)
	if err != nil {
		return p, err
	}
	p.Branch = &b
	message, err := s.branchMessage(ctx, p)
	if err != nil {
		return p, err
	}
	b.Commit, err = repo.Commit(base, files(p), message, robotAt(p.Created))
	var conflict *patch.ConflictError
	if errors.As(err, &conflict) {
		return p, unpushable("the committed content of these files differs from what was measured: " + join(conflict.Paths))
	}
	if err != nil {
		return p, fmt.Errorf("writing the proposal's commit: %w", err)
	}
	b.From = p.Commit
	if err := s.store.PutProposal(ctx, p); err != nil {
		return p, fmt.Errorf("recording the branch of %s: %w", p.ID, err)
	}
	return p, s.step(StepBranched)
}

// repositoryOf opens the repository that a proposal changes.
func (rev *Reviewer) repositoryOf(p archive.ProposalRecord) (*patch.Repository, error) {
	if p.Patch != nil {
		t, err := rev.targetOf(p)
		if err != nil {
			return nil, err
		}
		return rev.open(t)
	}
	if rev.Workspace == nil {
		return nil, errors.New("the workspace cannot be loaded")
	}
	repo, err := rev.workRepository()
	if err == nil && repo == nil {
		err = unpushable("the workspace is not in a git repository with a commit")
	}
	return repo, err
}

// restsOn returns the commit on which a proposal is based. If the proposal has no commit
// of its own, restsOn returns HEAD.
func (rev *Reviewer) restsOn(repo *patch.Repository, p archive.ProposalRecord) (string, error) {
	if p.Patch != nil {
		return p.Patch.BaseCommit, nil
	}
	if parents := repo.Parents(p.Commit); len(parents) > 0 {
		return parents[0], nil
	}
	_, head, err := repo.Head()
	return head, err
}

// notStale fails if the inputs to the measurement of a proposal for a config, tool, skill
// or memory have changed.
func (s *session) notStale(ctx context.Context, p archive.ProposalRecord) error {
	if p.Patch != nil {
		return nil
	}
	f := &fileSubject{session: s, p: p}
	if err := f.resolve(); err != nil {
		return err
	}
	now := f.agent.Base
	if p.Kind == archive.KindTool || p.Kind == archive.KindMemory {
		var err error
		if now, err = f.baseOf(f.agent, p); err != nil {
			return err
		}
	}
	changed, err := moved(ctx, s.store, p, now, f.agent.Suites)
	if err == nil && len(changed) > 0 {
		err = unpushable("the proposal is stale: " + join(changed) + " changed since the measurement")
	}
	return err
}

// mostText is the maximum length of the description of a proposal in a message, in bytes.
const mostText = 48 << 10

// branchMessage returns the message for the commit on a proposal's branch. All untrusted
// text in it is made inert.
func (s *session) branchMessage(ctx context.Context, p archive.ProposalRecord) (string, error) {
	said, err := s.Branching.Text(ctx, s.store, p)
	if err != nil {
		return "", err
	}
	body := "This proposal by evolve needs a person's decision. Merging the branch adopts the proposal, and deleting\n" +
		"the branch without merging it rejects the proposal; evolve records either decision in its ledger.\n" +
		"\n"
	if p.State == archive.HumanLane {
		body += "A gate flagged this proposal: before you merge, read below what the gate found.\n\n"
	}
	_, audit, err := s.store.LedgerHead(ctx)
	if err != nil {
		return "", fmt.Errorf("reading the ledger: %w", err)
	}
	about := trailers{{"Evolve-Variant", string(p.Variant)}, {"Evolve-Run", p.Run}, {"Evolve-Evidence", p.Evidence}}
	if p.Patch != nil {
		about = trailers{{"Evolve-Digest", p.Patch.Digest}}
	}
	return s.attested(ctx, p.ID, inertMessage("evolve: propose "+whatOf(p)+" ("+p.ID+")", body, said,
		slices.Concat(trailers{{"Evolve-Proposal", p.ID}}, about, trailers{{trailerAudit, audit}})))
}

// inertMessage returns a commit message that consists of a subject, a body by evolve, the
// untrusted text in said, and trailers. The subject and said are made inert.
func inertMessage(subject, body, said string, list trailers) string {
	said = strings.Trim(text.Inert(text.Clip(said, mostText, text.Ellipsis)), "\n")
	if said != "" {
		said += "\n\n"
	}
	return strings.TrimSpace(text.Inert(text.OneLine(subject))) + "\n\n" + body + said + list.String()
}

// whatOf describes what a proposal changes, for the subject of a commit message.
func whatOf(p archive.ProposalRecord) string {
	switch kind, name := Written(p); {
	case p.Patch != nil:
		return "a patch for " + p.Patch.Target
	case p.Kind == archive.KindMemory:
		return "memories of " + p.Agent
	case p.Kind == archive.KindTool:
		return "the " + kind + " " + name + " of " + p.Agent
	}
	return "a config for " + p.Agent
}

// titleAndBody splits the message of a branch's commit into the title and the body of a
// pull request. It leaves out the trailers.
func titleAndBody(message string) (title, body string) {
	title, body, _ = strings.Cut(strings.TrimSpace(message), "\n\n")
	if at := strings.LastIndex(body, "\n\n"); at >= 0 {
		body = body[:at] + "\n"
	}
	return title, body
}

// MergeOnly refuses an approval if proposals can be adopted only by a merge.
func (rev *Reviewer) MergeOnly(p archive.ProposalRecord) error {
	if rev.Branching == nil || p.Kind == archive.KindAutonomy || p.State == archive.Approved || !Undecided(p.State) {
		return nil
	}
	if err := foreign(p); err != nil {
		return err
	}
	b := cmp.Or(p.Branch, &archive.BranchBrief{Remote: rev.Branching.Remote, Name: branchName(p.ID)})
	if b.Pushed == "" {
		return Refuse("`evolve adopt sync` pushes it", "%s is adopted by merging its branch %s on %s, but the branch has not been pushed", p.ID, b.Name, b.Remote)
	}
	return Refuse("merge the branch there; `evolve adopt sync` records the merge, and so does the next night", "%s is adopted by merging its branch %s on %s", p.ID, b.Name, b.Remote)
}
