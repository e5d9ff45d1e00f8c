package review

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/patch"
)

// subject is the part of a proposal's handling that depends on the proposal's kind. It
// belongs to one session.
type subject interface {
	// resolve finds what the proposal may change, and refuses a proposal that changes
	// anything else.
	resolve() error
	// repository opens the repository that contains the files; it returns nil if there is
	// none yet.
	repository() (*patch.Repository, error)
	// adoptable refuses a proposal that differs from the version that was measured or
	// gated, or that exceeds a limit. It may renew the verdicts in the record. Its error is
	// a *staleError if the proposal must first be gated again.
	adoptable(ctx context.Context, p *archive.ProposalRecord, d Decision) error
	// ready runs before anything is recorded. It refuses a change that git would refuse
	// later, or that git would write to the working tree in a form other than the
	// committed one.
	ready(ctx context.Context, repo *patch.Repository, change []patch.File, d Decision) error
	// begin returns the repository in which a decision is carried out, and creates it if
	// there is none.
	begin(ctx context.Context, who patch.Person, d Decision) (*patch.Repository, error)
	// movable is like the method ready, but for a decision that is already recorded. head
	// is the commit that is checked out.
	movable(ctx context.Context, repo *patch.Repository, head string, m *move) error
	// forward moves the branch and updates the files that are checked out.
	forward(ctx context.Context, repo *patch.Repository, m patch.Move) error
	// landed checks the commit and the working tree after the method forward has moved
	// the branch.
	landed(ctx context.Context, repo *patch.Repository, branch, commit, tree string, change []patch.File) error
	// reversible completes the plan of a rollback, or refuses it.
	reversible(ctx context.Context, r *reversal, d Decision) error
}

// subjectOf returns the subject for the kind of a proposal.
func (s *session) subjectOf(p archive.ProposalRecord) subject {
	if p.Patch != nil {
		return &patchSubject{session: s, p: p}
	}
	return &fileSubject{session: s, p: p}
}

// CheckPerson returns the error with which a decision by a person of that name is refused.
func (rev *Reviewer) CheckPerson(by string) error {
	_, err := rev.person(by)
	return err
}

// person parses the name of the person who makes a decision (see [ParsePerson]) and adds
// the present time. It refuses the id of an agent.
func (rev *Reviewer) person(by string) (patch.Person, error) {
	who, err := ParsePerson(by)
	who.When = rev.Now()
	if err != nil || rev.Workspace == nil || rev.Workspace.Agent == nil {
		return who, err
	}
	if a, ok := rev.Workspace.Agent(strings.ToLower(who.Name)); ok {
		return who, Refuse("name the person who decides: --by \"Name <mail>\"", "%s is an agent in this workspace, and only a person can decide", a.ID)
	}
	return who, nil
}

// move is the change that a decision commits on top of a branch.
type move struct {
	proposal archive.ProposalRecord
	subject  subject
	record   archive.DecisionRecord
	change   []patch.File
	// tree is the resulting tree if gates have checked it; "" otherwise.
	tree     string
	who      patch.Person
	decision Decision
}

// move commits a change on the branch that is checked out. It stores the commit's name
// before the branch moves, so that the work of a killed process can be recognized, and
// returns the intent with that name. If HEAD already has the changed files and is the
// commit of this decision, an earlier attempt made that commit. The working tree would
// not show this, because git writes the working tree before it moves the branch. If
// another commit brought the files into HEAD, the decision gets a commit of its own that
// changes no files. Even if the error is a *[patch.AlteredError], the commit is on the
// branch.
func (s *session) move(ctx context.Context, m *move) (archive.Intent, error) {
	in := IntentOf(m.record)
	repo, err := m.subject.begin(ctx, m.who, m.decision)
	if err != nil {
		return in, err
	}
	branch, head, err := repo.Head()
	if err != nil {
		return in, err
	}
	there, err := holds(repo, head, m.change)
	if err != nil {
		return in, err
	}
	if there {
		if carries(repo, head, m.record) {
			in.Branch, in.Base, in.Commit = branch, head, head
			return in, nil
		}
		m.change = unmoved(m.change)
	}
	if err := m.subject.movable(ctx, repo, head, m); err != nil {
		return in, err
	}
	commit, text, err := s.write(ctx, repo, head, m)
	if err != nil {
		return in, err
	}
	if err := s.step(StepWritten); err != nil {
		return in, err
	}
	in.Branch, in.Base, in.Commit = branch, head, commit
	if err := s.store.PutIntent(ctx, in); err != nil {
		return in, fmt.Errorf("recording the intended commit: %w", err)
	}
	if err := s.step(StepIntended); err != nil {
		return in, err
	}
	subject, _, _ := strings.Cut(text, "\n")
	if err := m.subject.forward(ctx, repo, patch.Move{Ref: branch, Old: head, New: commit, By: m.who, Reason: subject}); err != nil {
		return in, err
	}
	if err := s.step(StepMoved); err != nil {
		return in, err
	}
	return in, m.subject.landed(ctx, repo, branch, commit, m.tree, m.change)
}

// carries reports whether the trailers of a commit name the given decision.
func carries(repo *patch.Repository, commit string, d archive.DecisionRecord) bool {
	m, _ := repo.MessageOf(commit)
	t := m.Trailers()
	action, _ := actionOf(t)
	return action == d.Action && cmp.Or(t["Evolve-Proposal"], t["Evolve-Rollback"]) == d.Proposal
}

// unmoved returns a change without effect, for files to which the given change has already
// been applied.
func unmoved(change []patch.File) []patch.File {
	out := make([]patch.File, len(change))
	for i, f := range change {
		out[i] = patch.File{Path: f.Path, Old: f.New, New: f.New}
	}
	return out
}

// write writes the commit of a move and returns it with its message. No branch contains the
// commit yet.
func (s *session) write(ctx context.Context, repo *patch.Repository, head string, m *move) (commit, text string, err error) {
	_, audit, err := s.store.LedgerHead(ctx)
	if err != nil {
		return "", "", fmt.Errorf("reading the ledger: %w", err)
	}
	text, err = s.attested(ctx, m.record.Proposal, decisionMessage(m.proposal, m.record, audit))
	if err != nil {
		return "", "", err
	}
	commit, err = repo.Commit(head, m.change, text, m.who)
	var conflict *patch.ConflictError
	if errors.As(err, &conflict) {
		return "", "", Refuse("commit or restore them, then repeat the command", "these files changed since the measurement: %s", join(conflict.Paths))
	}
	if err != nil {
		return "", "", fmt.Errorf("committing: %w", err)
	}
	if m.tree == "" {
		if m.tree, err = repo.Candidate(head, m.change); err != nil {
			return "", "", fmt.Errorf("writing the tree: %w", err)
		}
	}
	return commit, text, nil
}

// carryOut moves the branch and calls finish to store the result. If the working tree then
// differs from the commit, carryOut marks the intent as done, because the operator's
// program must not start on such files, records the difference, and returns it as a
// refusal.
func (s *session) carryOut(ctx context.Context, m *move, finish func(archive.Intent) error) error {
	in, err := s.move(ctx, m)
	var altered *patch.AlteredError
	if err != nil && !errors.As(err, &altered) {
		return err
	}
	if altered != nil {
		in.Stage = archive.IntentDone
	}
	return errors.Join(finish(in), s.altered(ctx, err, m.proposal.ID))
}

// differing lists the paths of the files whose content, as returned by read, differs from
// the new content in change.
func differing(change []patch.File, read func(path string) ([]byte, error)) ([]string, error) {
	var out []string
	for _, f := range change {
		have, err := read(f.Path)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", f.Path, err)
		}
		if !same(have, f.New) {
			out = append(out, f.Path)
		}
	}
	return out, nil
}

// at returns a function that reads files from a commit.
func at(repo *patch.Repository, commit string) func(path string) ([]byte, error) {
	return func(path string) ([]byte, error) { return repo.File(commit, path) }
}

// holds reports whether a commit has the new content of every changed file.
func holds(repo *patch.Repository, commit string, change []patch.File) (bool, error) {
	other, err := differing(change, at(repo, commit))
	return err == nil && len(other) == 0, err
}

// same reports whether two contents of a file are equal; nil stands for a missing file.
func same(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

// needsGit turns patch.ErrNoGit into a refusal and returns any other error unchanged.
func needsGit(err error) error {
	if errors.Is(err, patch.ErrNoGit) {
		return Refuse("install git, which is needed to update a checked-out tree safely", "git is not installed")
	}
	return err
}

// uncommitted refuses a change to files that have uncommitted changes. Git lists a file
// twice if it was removed only from the index.
func uncommitted(dirty []string) error {
	dirty = slices.Compact(slices.Sorted(slices.Values(dirty)))
	return Refuse("commit or restore them, then repeat the command", "not committed: %s", join(dirty))
}
