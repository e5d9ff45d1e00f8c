package patch

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// mostFirstParents is the maximum number of commits that FirstParents lists.
const mostFirstParents = 2000

// Contains reports whether the history of the commit tip contains another commit. It fails
// with ErrNoGit if git is not installed, and also fails if the repository lacks one of the
// commits.
func (r *Repository) Contains(ctx context.Context, tip, commit string) (bool, error) {
	if !hashForm.MatchString(tip) || !hashForm.MatchString(commit) {
		return false, fmt.Errorf("reading the history: %.20q or %.20q is not a commit", tip, commit)
	}
	rest, err := r.native(ctx, r.dir, "rev-list", "--max-count=1", commit, "^"+tip, "--")
	if err != nil {
		return false, fmt.Errorf("reading the history: %w", err)
	}
	return strings.TrimSpace(rest) == "", nil
}

// FirstParents returns the commits of the branch that ends at the commit tip, earliest
// first. It leaves out the commits that merges brought in, and the commits in the history
// of the given commit (from). If paths are given, FirstParents returns only the commits
// that changed at least one of the paths. If there are more than 2,000 commits, it
// returns the latest 2,000.
func (r *Repository) FirstParents(ctx context.Context, from, tip string, paths ...string) ([]string, error) {
	if !hashForm.MatchString(from) || !hashForm.MatchString(tip) {
		return nil, fmt.Errorf("reading the history: %.20q or %.20q is not a commit", from, tip)
	}
	args := []string{"rev-list", "--first-parent", fmt.Sprintf("--max-count=%d", mostFirstParents), tip, "^" + from, "--"}
	for _, p := range paths {
		args = append(args, ":(literal)"+p)
	}
	out, err := r.native(ctx, r.dir, args...)
	if err != nil {
		return nil, fmt.Errorf("reading the history: %w", err)
	}
	list := strings.Fields(out)
	slices.Reverse(list)
	return list, nil
}

// Root returns the first commit of a branch, where its chain of first parents begins or a
// shallow clone ends.
func (r *Repository) Root(ctx context.Context, tip string) (string, error) {
	if !hashForm.MatchString(tip) {
		return "", fmt.Errorf("reading the history: %.20q is not a commit", tip)
	}
	out, err := r.native(ctx, r.dir, "rev-list", "--first-parent", "--max-parents=0", tip, "--")
	if err != nil {
		return "", fmt.Errorf("reading the history: %w", err)
	}
	return strings.TrimSpace(out), nil
}

// BroughtBy returns the commit that brought a commit into a branch: the commit itself if
// the branch moved directly to it, and otherwise the merge. The branch must contain the
// commit.
func (r *Repository) BroughtBy(ctx context.Context, commit, tip string) (string, error) {
	for _, p := range r.Parents(commit) {
		own, err := r.FirstParents(ctx, p, tip)
		if err != nil {
			return "", err
		}
		if slices.Contains(own, commit) {
			return commit, nil
		}
		out, err := r.native(ctx, r.dir, "rev-list", "--topo-order", "--reverse", "--ancestry-path", tip, "^"+commit, "--")
		if err != nil {
			return "", fmt.Errorf("reading the history: %w", err)
		}
		for descendant := range strings.FieldsSeq(out) {
			if slices.Contains(own, descendant) {
				return descendant, nil
			}
		}
	}
	return tip, nil
}

// Parents returns the parents of a commit; it returns none if the repository does not have
// the commit.
func (r *Repository) Parents(commit string) []string {
	var out []string
	_ = r.with(func(s *store) error {
		c, err := s.commit(commit)
		if err == nil {
			for _, p := range c.ParentHashes {
				out = append(out, p.String())
			}
		}
		return err
	})
	return out
}

// Authors returns the author of a commit and its committer. The names are untrusted text.
func (r *Repository) Authors(commit string) (author, committer Person, err error) {
	err = r.with(func(s *store) error {
		c, err := s.commit(commit)
		if err == nil {
			author = Person{c.Author.Name, c.Author.Email, c.Author.When}
			committer = Person{c.Committer.Name, c.Committer.Email, c.Committer.When}
		}
		return err
	})
	return author, committer, err
}
