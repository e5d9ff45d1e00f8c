package patch

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// checkSkipped returns an error for paths that the index marks as left out of the working
// tree (skip-worktree), because git would commit them without writing them to the working
// tree.
func (r *Repository) checkSkipped(ctx context.Context, dir string, paths []string) error {
	out, err := r.marked(ctx, dir, paths)
	if err != nil || len(out) == 0 {
		return err
	}
	return r.excluded(ctx, dir, out)
}

// checkSparse returns an error for paths, including new ones, that the patterns of a sparse
// checkout leave out. To find these paths, it moves r's copy of the index from the commit
// in head to the tree in tree, with an empty folder as the working tree. Without a sparse
// checkout it needs only one run of git.
func (r *Repository) checkSparse(ctx context.Context, dir, private, empty, head, tree string, paths []string) error {
	if on, err := r.isSet(ctx, dir, "core.sparseCheckout"); err != nil || !on {
		return err
	}
	if err := os.Mkdir(empty, 0o700); err != nil {
		return fmt.Errorf("simulating the update of the working tree: %w", err)
	}
	with := *r
	with.extra = append(slices.Clone(r.extra), "GIT_DIR="+private, "GIT_WORK_TREE="+empty)
	if _, err := with.native(ctx, empty, "read-tree", "-m", "-u", head, tree); err != nil {
		return fmt.Errorf("computing what a sparse checkout leaves out: %w", err)
	}
	below := make([]string, len(paths))
	for i, p := range paths {
		at, err := r.repoPath(p)
		if err != nil {
			return err
		}
		below[i] = at
	}
	out, err := with.marked(ctx, empty, below)
	if err != nil || len(out) == 0 {
		return err
	}
	return r.excluded(ctx, dir, out)
}

// marked lists the paths that the index marks as left out, relative to the root of the
// repository.
func (r *Repository) marked(ctx context.Context, dir string, paths []string) ([]string, error) {
	out, err := r.native(ctx, dir, append([]string{"--literal-pathspecs", "ls-files", "--full-name", "-t", "-z", "--"}, paths...)...)
	if err != nil {
		return nil, fmt.Errorf("listing the files that are left out: %w", err)
	}
	var left []string
	for line := range strings.SplitSeq(out, "\x00") {
		// The tag is a lower-case s if the index also marks the file as assumed to be
		// unchanged.
		if tag, name, ok := strings.Cut(line, " "); ok && strings.EqualFold(tag, "S") {
			left = append(left, name)
		}
	}
	return left, nil
}

// excluded returns the error for paths that are left out of the working tree. The error
// includes the command that adds the paths.
func (r *Repository) excluded(ctx context.Context, dir string, paths []string) error {
	e := &HinderedError{Why: "left out of the working tree (skip-worktree): " + strings.Join(paths, ", ")}
	on, err := r.isSet(ctx, dir, "core.sparseCheckout")
	if err != nil {
		return err
	}
	cone, err := r.isSet(ctx, dir, "core.sparseCheckoutCone")
	if err != nil {
		return err
	}
	git := "`git -C " + shellWord(r.root(dir)) + " "
	var named []string
	for _, p := range paths {
		switch {
		case on && cone:
			p = path.Dir(p)
		case on:
			p = "/" + p
		}
		if !slices.Contains(named, p) {
			named = append(named, p)
		}
	}
	if on {
		e.Hint = git + "sparse-checkout add " + shellWords(named) + "` or " + git + "sparse-checkout disable` includes them; then repeat the command"
	} else {
		e.Hint = git + "update-index --no-skip-worktree -- " + shellWords(named) + "` removes the mark; then repeat the command"
	}
	return e
}

// root returns the root of the working tree that contains a folder. dir must be the folder
// for which the repository was opened, or itself a root.
func (r *Repository) root(dir string) string {
	if dir == r.dir && r.top != "" {
		return r.top
	}
	return filepath.Clean(dir)
}

// isSet reports whether a boolean setting is true.
func (r *Repository) isSet(ctx context.Context, dir, key string) (bool, error) {
	out, err := r.config(ctx, dir, "--type=bool", "--get", key)
	return strings.TrimSpace(out) == "true", err
}
