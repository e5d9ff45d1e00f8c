package review

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"evolve/mutate/blocks"
	"evolve/mutate/constants"
	"evolve/patch"
	"evolve/patch/scope"
)

// Ground is a target at one commit, as the search for patches uses it. The default is the
// current commit.
type Ground struct {
	Target Target
	// Commit is the commit at HEAD. Policy is the digest of the terms by which patches to
	// the target are judged.
	Commit, Policy string
	// Tree is the tree of the commit.
	Tree string
	// Start is the folder in the tree in which the target's commands start; empty for the
	// root of the tree.
	Start string
	// Editable lists the existing files that a patch may change, sorted.
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
	if g.Start = rev.start(t); g.Start != "" && !slices.ContainsFunc(files, func(e scope.Entry) bool { return strings.HasPrefix(e.Path, g.Start+"/") }) {
		return nil, Refuse("commit the folder's files, or name another folder", "the folder %s of target %s has no committed files", t.Repo, name)
	}
	g.Editable = t.scope().Editable(files)
	return g, nil
}

// At returns the ground at another commit of the repository, under the present policy.
func (g *Ground) At(commit string) (*Ground, error) {
	out := *g
	var err error
	out.Commit = commit
	if out.Tree, err = g.repo.TreeOf(commit); err != nil {
		return nil, fmt.Errorf("reading %s at %.12s: %w", g.Target.Name, commit, err)
	}
	files, err := g.repo.Tree(out.Tree)
	if err != nil {
		return nil, fmt.Errorf("reading %s at %.12s: %w", g.Target.Name, commit, err)
	}
	out.Editable = g.Target.scope().Editable(files)
	return &out, nil
}

// Root returns the first commit of the target's repository, which stays the same if the
// repository is moved elsewhere; see [patch.Repository.Root].
func (g *Ground) Root(ctx context.Context) (string, error) { return g.repo.Root(ctx, g.Commit) }

// Top returns the absolute root of the target's working tree.
func (g *Ground) Top() string { return g.repo.Top() }

// History returns the repository of the target, for reading its commits.
func (g *Ground) History() *patch.Repository { return g.repo }

// Uncommitted lists the tracked files of the repository that differ between the working
// tree and the commit, the named files first; see [patch.Repository.Uncommitted].
func (g *Ground) Uncommitted(ctx context.Context, named ...string) ([]string, error) {
	if g.Top() == "" {
		return nil, nil
	}
	list, err := g.repo.Uncommitted(ctx, g.Commit, named...)
	slices.SortStableFunc(list, func(x, y string) int {
		return cmp.Compare(slices.Index(named, y)+1, 0) - cmp.Compare(slices.Index(named, x)+1, 0)
	})
	return list, err
}

// AsCommitted reports whether a file is the same in the working tree as in the commit; see
// [patch.Repository.AsCommitted].
func (g *Ground) AsCommitted(path string) (bool, error) { return g.repo.AsCommitted(g.Commit, path) }

// Absent lists the symbolic links and the submodules in the commit. Exported trees contain
// neither.
func (g *Ground) Absent() (links, submodules []string, err error) {
	all, err := g.repo.Tree(g.Tree)
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", g.Target.Name, err)
	}
	for _, e := range all {
		switch e.Mode {
		case scope.Symlink:
			links = append(links, e.Path)
		case scope.Submodule:
			submodules = append(submodules, e.Path)
		}
	}
	return links, submodules, nil
}

// Allows reports whether a patch may change the file with the given slash-separated path,
// or create it if it does not exist.
func (g *Ground) Allows(path string) (bool, error) {
	before, err := g.repo.Tree(g.Tree)
	if err != nil {
		return false, fmt.Errorf("reading %s: %w", g.Target.Name, err)
	}
	after := slices.Clone(before)
	at, there := slices.BinarySearchFunc(after, path, func(e scope.Entry, path string) int { return strings.Compare(e.Path, path) })
	if !there {
		after = slices.Insert(after, at, scope.Entry{Path: path, Mode: scope.Regular})
	}
	after[at].Hash += "'" // simulate a change to the file's content
	return len(g.Target.scope().Judge(before, after).Refused) == 0, nil
}

// Sources returns the contents of the editable Go files, keyed by path.
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

// Marked returns the contents of the editable files that contain a text, keyed by path.
// It skips files over 1 MiB.
func (g *Ground) Marked(text string) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, path := range g.Editable {
		data, err := g.repo.File(g.Commit, path)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
		if len(data) <= mostMarked && bytes.Contains(data, []byte(text)) {
			out[path] = data
		}
	}
	return out, nil
}

// MarkedOutside returns the first committed file that has a mark of [blocks.Marked]
// although a patch may not change the file. It also returns the reason why a patch may
// not; both are empty if there is none. It skips files over 1 MiB. If covered is set, it
// also skips files that the target does not allow and files that judge patches.
func (g *Ground) MarkedOutside(covered bool) (path, why string, err error) {
	all, err := g.repo.Tree(g.Tree)
	if err != nil {
		return "", "", fmt.Errorf("reading %s: %w", g.Target.Name, err)
	}
	for i, e := range all {
		if _, editable := slices.BinarySearch(g.Editable, e.Path); editable || covered && !g.Target.Policy.Covers(e.Path) || e.Mode != scope.Regular && e.Mode != scope.Executable || e.Size > mostMarked {
			continue
		}
		data, err := g.repo.File(g.Commit, e.Path)
		if err != nil {
			return "", "", fmt.Errorf("reading %s: %w", e.Path, err)
		}
		if !blocks.Marked(e.Path, data) {
			continue
		}
		after := slices.Clone(all)
		after[i].Hash += "'"
		refused := g.Target.scope().Judge(all, after).Refused
		if len(refused) > 0 && !(covered && slices.Contains([]string{"test", "testdata", "golden file"}, refused[0].Rule)) {
			return e.Path, refused[0].Why, nil
		}
	}
	return "", "", nil
}

// Package returns the contents of the Go files, except tests, in a folder of the commit.
// The result is keyed by path and includes files that a patch may not change.
func (g *Ground) Package(dir string) (map[string][]byte, error) {
	all, err := g.repo.Tree(g.Tree)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", g.Target.Name, err)
	}
	out := map[string][]byte{}
	for _, e := range all {
		if path.Dir(e.Path) != dir || !strings.HasSuffix(e.Path, ".go") || strings.HasSuffix(e.Path, "_test.go") {
			continue
		}
		if out[e.Path], err = g.repo.File(g.Commit, e.Path); err != nil {
			return nil, fmt.Errorf("reading %s: %w", e.Path, err)
		}
	}
	return out, nil
}

// mostMarked is the maximum size of a file with marks, in bytes.
const mostMarked = 1 << 20

// File returns the content of one committed file, inside or outside the scope, for a
// person who edits a copy of it. It returns nil if there is no such file.
func (g *Ground) File(path string) ([]byte, error) {
	data, err := g.repo.File(g.Commit, path)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return data, nil
}

// Marks returns the number of constants in a target that are marked for the search and
// can be tuned, and one problem for each marker that cannot be used.
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

// Export writes the tree to a folder that does not exist yet.
func (g *Ground) Export(ctx context.Context, dir string) error {
	return g.repo.Export(ctx, g.Tree, dir)
}
