package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/patch"
	"evolve/runtime/scrub"
	"evolve/runtime/text"
)

// makes reports whether a commit makes a change: the change, placed on the commit's first
// parent, has an effect, and the commit's files are the result.
func makes(repo *patch.Repository, commit string, change []patch.File, place placing) (bool, error) {
	parents := repo.Parents(commit)
	if len(parents) == 0 {
		return false, nil
	}
	made, conflicts, err := place(repo, parents[0], change)
	if err != nil || len(conflicts) > 0 || !slices.ContainsFunc(made, func(f patch.File) bool { return !same(f.Old, f.New) }) {
		return false, err
	}
	return holds(repo, commit, made)
}

// speaks reports whether the message of a commit contains the given trailer for a proposal
// of this archive. The trailer may be anywhere in the message, because a squash can put it
// there. Untrusted text cannot forge it, because evolve indents such text in its messages.
func speaks(repo *patch.Repository, commit, trailer, id, archiveID string) bool {
	m, _ := repo.MessageOf(commit)
	lines := strings.Split(strings.ReplaceAll(m.Text, "\r\n", "\n"), "\n")
	return archiveID != "" && slices.Contains(lines, trailer+": "+id) && slices.Contains(lines, trailerArchive+": "+archiveID)
}

// isMerge reports whether a commit brought a proposal into its branch. A commit did so if
// its history contains the commit of the proposal's branch, if its message names the
// proposal, or if it makes the proposal's change.
func isMerge(repo *patch.Repository, commit string, p archive.ProposalRecord, archiveID string) (bool, error) {
	if b := p.Branch; b != nil {
		for _, own := range []string{b.Pushed, b.Commit} {
			parents := repo.Parents(own)
			if len(parents) == 0 {
				continue
			}
			found, err := repo.Find(commit, parents[0], func(c, _ string) (bool, error) { return c == own, nil })
			if err != nil || found != "" {
				return found != "", err
			}
		}
	}
	if speaks(repo, commit, "Evolve-Proposal", p.ID, archiveID) {
		return true, nil
	}
	return makes(repo, commit, files(p), onto)
}

// isRevert reports whether a commit reverts a proposal: its message names the rollback, or
// it reverses the proposal's change.
func isRevert(repo *patch.Repository, commit string, p archive.ProposalRecord, archiveID string) (bool, error) {
	if speaks(repo, commit, "Evolve-Rollback", p.ID, archiveID) {
		return true, nil
	}
	return makes(repo, commit, patch.Reverse(files(p)), backOnto)
}

// merge returns the commit by which a proposal was merged into the base branch, or "" if it
// was not merged.
func (g *branchGroup) merge(ctx context.Context, p archive.ProposalRecord) (string, error) {
	if g.Branching.Merged[p.ID] != "" {
		return g.named(ctx, p)
	}
	if commit, err := g.brought(ctx, p); err != nil || commit != "" {
		return commit, err
	}
	commit, err := g.first(ctx, g.rests(p), p, isMerge)
	if err != nil || commit != "" {
		return commit, err
	}
	tip, err := g.moved(p)
	if err != nil || tip == "" {
		return "", err
	}
	return g.first(ctx, g.rests(p), p, func(repo *patch.Repository, commit string, p archive.ProposalRecord, _ string) (bool, error) {
		return makesAltered(repo, commit, p, tip)
	})
}

// brought returns the commit that brought the commit of a proposal's branch into the base
// branch, or "" if the base branch does not contain it.
func (g *branchGroup) brought(ctx context.Context, p archive.ProposalRecord) (string, error) {
	for _, own := range slices.Compact([]string{p.Branch.Pushed, p.Branch.Commit}) {
		if len(g.repo.Parents(own)) == 0 { // not fetched, so it cannot have been merged
			continue
		}
		in, err := g.repo.Contains(ctx, g.tip, own)
		if err != nil {
			return "", err
		}
		if in {
			return g.repo.BroughtBy(ctx, own, g.tip)
		}
	}
	return "", nil
}

// lateMerge returns the commit by which the deleted branch of a proposal was merged into
// the base branch, or "" if it was not merged. The history or a message must show the
// merge: the change alone does not, because a person may have made the same change after
// the proposal was rejected.
func (g *branchGroup) lateMerge(ctx context.Context, p archive.ProposalRecord) (string, error) {
	base := g.rests(p)
	if in, err := g.repo.Contains(ctx, g.tip, base); err != nil || !in {
		return "", err
	}
	if commit, err := g.brought(ctx, p); err != nil || commit != "" {
		return commit, err
	}
	return g.first(ctx, base, p, func(repo *patch.Repository, commit string, p archive.ProposalRecord, archiveID string) (bool, error) {
		return speaks(repo, commit, "Evolve-Proposal", p.ID, archiveID), nil
	})
}

// moved returns the commit to which others moved the branch of a proposal. It returns "" if
// they did not move it, or if the commit was never fetched.
func (g *branchGroup) moved(p archive.ProposalRecord) (string, error) {
	tip := g.tips.Branches[p.Branch.Name]
	if tip == "" {
		var err error
		if tip, err = g.repo.Ref(g.remote.Tracking(p.Branch.Name)); err != nil {
			return "", err
		}
	}
	if _, here := g.repo.MessageOf(tip); !here || tip == p.Branch.Pushed || tip == p.Branch.Commit {
		return "", nil
	}
	return tip, nil
}

// makesAltered reports whether a commit makes a proposal's change in the form that people
// gave it: the proposal's files have the content that they have at tip, the commit to which
// people moved the proposal's branch.
func makesAltered(repo *patch.Repository, commit string, p archive.ProposalRecord, tip string) (bool, error) {
	change := files(p)
	for i := range change {
		var err error
		if change[i].New, err = repo.File(tip, change[i].Path); err != nil {
			return false, fmt.Errorf("reading %s: %w", change[i].Path, err)
		}
	}
	return makes(repo, commit, change, onto)
}

// fewestDigits is the minimum number of digits in a commit name given by a person.
const fewestDigits = 7

// named returns the commit that a person named as the merge of a proposal. It must be on
// the base branch, follow the proposal's base, and change files of the proposal.
func (g *branchGroup) named(ctx context.Context, p archive.ProposalRecord) (string, error) {
	name := strings.ToLower(g.Branching.Merged[p.ID])
	list, err := g.repo.FirstParents(ctx, g.rests(p), g.tip, paths(p)...)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(list, func(c string) bool { return len(name) >= fewestDigits && strings.HasPrefix(c, name) })
	if at < 0 {
		return "", unpushable(fmt.Sprintf("%s is not a commit on the branch %s of %s that changes files of %s and comes after that proposal's base commit", text.Quote(name), g.base, p.Branch.Remote, p.ID))
	}
	return list[at], nil
}

// confirms reports whether a commit can be the merge of proposal p that the ledger's
// record m describes.
func confirms(repo *patch.Repository, commit string, p archive.ProposalRecord, archiveID string, m *archive.MergeBrief) (bool, error) {
	found, err := isMerge(repo, commit, p, archiveID)
	if err != nil || found {
		return found, err
	}
	if _, there := repo.MessageOf(m.Tip); m.Tip != "" && there {
		return makesAltered(repo, commit, p, m.Tip)
	}
	return (m.Named || m.Tip != "") && touches(repo, commit, paths(p)), nil
}

// touches reports whether a commit changes at least one of the given files.
func touches(repo *patch.Repository, commit string, paths []string) bool {
	parents := repo.Parents(commit)
	return len(parents) > 0 && slices.ContainsFunc(paths, func(path string) bool {
		before, err := repo.File(parents[0], path)
		if err != nil {
			return false
		}
		after, err := repo.File(commit, path)
		return err == nil && !same(before, after)
	})
}

// revert returns the commit in the base branch that reverts an adoption; "" if there is
// none.
func (g *branchGroup) revert(ctx context.Context, p archive.ProposalRecord) (string, error) {
	if in, err := g.repo.Contains(ctx, g.tip, p.AdoptedCommit); err != nil || !in {
		return "", err
	}
	return g.first(ctx, p.AdoptedCommit, p, isRevert)
}

// first returns the first commit on the base branch that follows the given commit
// (after), changes a file of a proposal, and satisfies the given function (is); it
// returns "" if there is none.
func (g *branchGroup) first(ctx context.Context, after string, p archive.ProposalRecord, is func(*patch.Repository, string, archive.ProposalRecord, string) (bool, error)) (string, error) {
	list, err := g.repo.FirstParents(ctx, after, g.tip, paths(p)...)
	if err != nil {
		return "", err
	}
	for _, c := range list {
		if found, err := is(g.repo, c, p, g.archiveID); err != nil || found {
			return c, err
		}
	}
	return "", nil
}

// mergeBrief describes the commit on the base branch by which people carried out a
// decision. It also returns the person who decided, according to the commit.
func (g *branchGroup) mergeBrief(p archive.ProposalRecord, commit string, change []patch.File, place placing) (*archive.MergeBrief, string, error) {
	m := &archive.MergeBrief{Remote: p.Branch.Remote, Branch: p.Branch.Name, Base: g.base, Commit: commit}
	author, committer, err := g.repo.Authors(commit)
	if err != nil {
		return nil, "", err
	}
	m.Author, m.Committer, m.Time = signed(author), signed(committer), committer.When.UTC()
	exact, err := makes(g.repo, commit, change, place)
	if err == nil && !exact {
		m.Altered, err = differing(change, at(g.repo, commit))
	}
	by := m.Committer
	if by == "" || commit == p.Branch.Pushed || commit == p.Branch.Commit { // evolve made this commit itself, so its committer did not decide
		by = unknownAt(m.Remote)
	}
	return m, by, err
}

// unknownAt returns the text that stands for a person whose name is unknown.
func unknownAt(remote string) string { return "an unknown person at the remote " + remote }

// signed returns the author or committer of a commit as "Name <mail>", or "" if there is no
// name. A credential in the text is replaced.
func signed(p patch.Person) string {
	name := text.Clip(text.OneLine(p.Name), maxPerson, text.Ellipsis)
	if name == "" {
		return ""
	}
	if mail := text.Clip(text.OneLine(p.Email), maxPerson, text.Ellipsis); mail != "" {
		name = fmt.Sprintf("%s <%s>", name, mail)
	}
	return scrub.New(nil).String(name)
}
