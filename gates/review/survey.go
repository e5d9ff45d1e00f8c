package review

import (
	"context"
	"fmt"
	"strings"

	"evolve/mutate/constants"
	"evolve/patch"
)

// Ground is a target at its current commit, for the search for patches.
type Ground struct {
	Target Target
	// Commit is the one at HEAD, Policy the digest of the terms that its patches are
	// judged by.
	Commit, Policy string
	// Tree is the tree of the commit.
	Tree string
	// Editable are the existing files that a patch may change, sorted.
	Editable []string

	repo *patch.Repository
}

// Survey returns the Ground of a target.
func (rev *Reviewer) Survey(name string) (*Ground, error) {
	t, err := rev.target(name)
	if err != nil {
		return nil, err
	}
	g := &Ground{Target: t}
	if _, g.Policy, err = t.terms(); err != nil {
		return nil, err
	}
	if g.repo, err = rev.open(t); err != nil {
		return nil, err
	}
	if _, g.Commit, err = g.repo.Head(); err != nil {
		return nil, err
	}
	if g.Tree, err = g.repo.TreeOf(g.Commit); err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	files, err := g.repo.Tree(g.Tree)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	g.Editable = t.Policy.Editable(files)
	return g, nil
}

// Sources reads the Go files among the editable ones, by path.
func (g *Ground) Sources() (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, path := range g.Editable {
		if !strings.HasSuffix(path, ".go") {
			continue
		}
		data, err := g.repo.File(g.Commit, path)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
		out[path] = data
	}
	return out, nil
}

// File returns one committed file, in the scope or not, for a person who edits a copy of
// it; nil when there is none.
func (g *Ground) File(path string) ([]byte, error) {
	data, err := g.repo.File(g.Commit, path)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return data, nil
}

// Marks returns how many constants of a target that are marked for the search can be
// tuned, and every marker that cannot be used.
func (rev *Reviewer) Marks(target string) (found int, problems []constants.Problem, err error) {
	g, err := rev.Survey(target)
	if err != nil {
		return 0, nil, err
	}
	files, err := g.Sources()
	if err != nil {
		return 0, nil, err
	}
	list, problems := constants.Find(files)
	return len(list), problems, nil
}

// Export writes the tree into a folder that does not exist yet.
func (g *Ground) Export(ctx context.Context, dir string) error {
	return g.repo.Export(ctx, g.Tree, dir)
}
