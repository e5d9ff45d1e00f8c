package patch

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// mostFirstParents bounds the commits that FirstParents lists.
const mostFirstParents = 2000

// Contains reports whether the history of a commit has another commit. It fails with ErrNoGit if
// git is not installed, and if a commit is missing here.
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

// FirstParents returns the commits of a branch after from, up to and including tip, without
// those that merges brought in; the earliest first, and with paths only those that changed one
// of them. Of more than 2,000 it returns the latest.
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

// Root returns the first commit of a branch: where its first parents begin, or where a shallow clone
// ends.
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

// BroughtBy returns the commit with which a commit came into a branch: the commit itself if
// the branch moved to it, or else the merge. The branch must contain it.
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

// Parents returns the parents of a commit; none if the repository does not have it.
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

// Authors returns the author of a commit and its committer. They are foreign text.
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
