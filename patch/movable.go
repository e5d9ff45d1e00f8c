package patch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// HinderedError says that git would not bring a working tree to a change, or would write
// something else there than what is committed. Nothing was changed.
type HinderedError struct {
	// Why says what is in the way; it holds names of files.
	Why string
	// Hint says what a person can do.
	Hint string
	// Rewrites says that git would write something else; such a file looks changed to it.
	Rewrites bool
}

func (e *HinderedError) Error() string { return e.Why }

// Movable rehearses how native git would bring what is checked out to the change, without
// writing into the working tree or the index. It fails with a *HinderedError, a
// *LockedError or ErrNoGit. A change that is there already is movable.
func (r *Repository) Movable(ctx context.Context, files []File) error {
	_, head, err := r.Head()
	if err != nil {
		return err
	}
	return r.movable(ctx, r.dir, head, files)
}

// MovableBranch is Movable for a branch of any working tree, at the commit base: the one
// that [Repository.Advance] would bring along. A branch that is checked out nowhere is
// movable unless it is locked.
func (r *Repository) MovableBranch(ctx context.Context, branch, base string, files []File) error {
	places, err := r.Checkouts(branch)
	if err != nil {
		return err
	}
	if len(places) == 0 {
		return r.free(r.refPath(branch))
	}
	if err := r.portable(ctx, Move{Ref: branch, Old: base}, places); err != nil {
		return err
	}
	return r.movable(ctx, places[0].Folder, base, files)
}

func (r *Repository) movable(ctx context.Context, dir, head string, files []File) error {
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	rewritten, err := r.rewritten(ctx, dir, paths)
	if err != nil {
		return err
	}
	if len(rewritten) > 0 {
		return &HinderedError{
			Rewrites: true,
			Why:      "git would write something else than what is committed: " + strings.Join(rewritten, ", "),
			Hint:     "take these attributes from the files in .gitattributes, or in .git/info/attributes, with a line such as `" + plainAttributes(paths[0]) + "`",
		}
	}
	if err := r.untouched(ctx, dir, files); err != nil {
		return err
	}
	if err := r.skipped(ctx, dir, paths); err != nil {
		return err
	}
	tree, err := r.Candidate(head, files)
	var conflict *ConflictError
	if errors.As(err, &conflict) {
		return nil // the commit fails on it, and names the files
	}
	if err != nil {
		return err
	}
	return r.dryRun(ctx, dir, head, tree, paths)
}

// plainAttributes is a line of .gitattributes that leaves a file as it is committed.
func plainAttributes(path string) string {
	return strings.ReplaceAll(path, " ", "[[:space:]]") + " -filter -ident -working-tree-encoding"
}

// untouched refuses files that are not in the working tree as they are committed, whatever
// the index says of them: git takes its word for it that a file is unchanged, and replaces
// a file that it ignores.
func (r *Repository) untouched(ctx context.Context, dir string, files []File) error {
	var touched []string
	for _, f := range files {
		have, err := onDisk(dir, f.Path)
		if err != nil {
			return err
		}
		if have == nil && f.Old != nil {
			continue // git tells apart what was removed and what a sparse checkout leaves out
		}
		same, err := r.asCommitted(ctx, dir, f.Path, have, f.Old)
		if err != nil {
			return err
		}
		if !same {
			there, err := r.asCommitted(ctx, dir, f.Path, have, f.New)
			if err != nil {
				return err
			}
			if there {
				continue // git was stopped as it wrote; the dry run says whether it can go on
			}
			touched = append(touched, f.Path)
		}
	}
	if len(touched) > 0 {
		return &HinderedError{Why: "not committed: " + strings.Join(touched, ", "), Hint: "commit or restore them, then repeat the command"}
	}
	return nil
}

// asCommitted reports whether the content of a file in a working tree is that of a commit,
// but for ends of lines that git is asked to write.
func (r *Repository) asCommitted(ctx context.Context, dir, path string, have, want []byte) (bool, error) {
	if (have == nil) != (want == nil) {
		return false, nil
	}
	if bytes.Equal(have, want) {
		return true, nil
	}
	if !bytes.Equal(have, withCRLF(want)) {
		return false, nil
	}
	return r.lineEnds(ctx, dir, path)
}

// onDisk reads a regular file below dir, nil where there is none.
func onDisk(dir, path string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("reading the working tree: %w", err)
	}
	defer root.Close()
	name := filepath.FromSlash(path)
	info, err := root.Lstat(name)
	if noFile(err) {
		return nil, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		return nil, &HinderedError{Why: path + " is no regular file in the working tree", Hint: "move it away, then repeat the command"}
	}
	var data []byte
	if err == nil {
		data, err = root.ReadFile(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the working tree: %w", err)
	}
	if data == nil {
		data = []byte{}
	}
	return data, nil
}

// dryRun has git say whether it could bring a working tree from a commit to a tree. It
// works on a copy of the index.
func (r *Repository) dryRun(ctx context.Context, dir, head, tree string, paths []string) (err error) {
	path, err := r.native(ctx, dir, "rev-parse", "--path-format=absolute", "--git-path", "index")
	if err != nil {
		return fmt.Errorf("asking git for its index: %w", err)
	}
	index := strings.TrimRight(path, "\n")
	if err := r.unlocked(index); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "evolve-index-")
	if err != nil {
		return fmt.Errorf("rehearsing the move: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	copied := filepath.Join(scratch, "index")
	data, err := os.ReadFile(index)
	if err == nil {
		err = os.WriteFile(copied, data, 0o600)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // an index that is not there is empty
		return fmt.Errorf("rehearsing the move: %w", err)
	}
	with := *r
	with.extra = []string{"GIT_INDEX_FILE=" + copied}
	// Entries whose times alone differ are no changes. It exits 1 for those that are.
	_, _ = with.native(ctx, dir, "update-index", "-q", "--refresh")
	if _, err := with.native(ctx, dir, "read-tree", "-m", "-u", "--dry-run", head, tree); err != nil {
		return &HinderedError{
			Why:  "git would not bring the working tree along: " + strings.Join(strings.Fields(err.Error()), " "),
			Hint: "commit, restore or move away what it names, then repeat the command",
		}
	}
	return with.sparse(ctx, dir, filepath.Dir(index), filepath.Join(scratch, "tree"), head, tree, paths)
}

// AlteredError says that files of a working tree are not as the commit has them that it
// was just brought to. The commit is on the branch.
type AlteredError struct {
	Commit, Folder string
	Paths          []string
}

func (e *AlteredError) Error() string {
	return fmt.Sprintf("the commit %.12s is made, and in %s these files are not as it has them: %s", e.Commit, e.Folder, strings.Join(e.Paths, ", "))
}

// Hint says what a person can do.
func (e *AlteredError) Hint() string {
	words := make([]string, len(e.Paths))
	for i, p := range e.Paths {
		words[i] = shellWord(p)
	}
	return "`git -C " + shellWord(e.Folder) + " checkout " + e.Commit + " -- " + strings.Join(words, " ") + "` writes them anew; something changes them as git writes them"
}

// Landed checks that a commit is what was meant, and that the files of a change are in the
// working tree dir, that of the repository when it is empty, as they are committed. tree is the one that the gates have seen; empty
// checks the files alone. It fails with an *AlteredError.
func (r *Repository) Landed(ctx context.Context, dir, commit, tree string, files []File) error {
	if dir == "" {
		dir = r.dir
	}
	got, err := r.TreeOf(commit)
	if err != nil {
		return err
	}
	if tree != "" && got != tree {
		return &AlteredError{Commit: commit, Folder: dir, Paths: []string{"the tree is " + got + ", not " + tree}}
	}
	var altered []string
	for _, f := range files {
		want, err := r.File(commit, f.Path)
		if err != nil {
			return err
		}
		have, err := onDisk(dir, f.Path)
		var odd *HinderedError
		if err != nil && !errors.As(err, &odd) {
			return err
		}
		same := bytes.Equal(want, f.New) && (want == nil) == (f.New == nil) && odd == nil
		if same {
			if same, err = r.asCommitted(ctx, dir, f.Path, have, want); err != nil {
				return err
			}
		}
		if !same {
			altered = append(altered, f.Path)
		}
	}
	if len(altered) > 0 {
		return &AlteredError{Commit: commit, Folder: dir, Paths: altered}
	}
	return nil
}

// LandedBranch is Landed for the working tree that a branch is checked out in; for a branch
// that is checked out nowhere it looks at the commit alone.
func (r *Repository) LandedBranch(ctx context.Context, branch, commit, tree string, files []File) error {
	places, err := r.Checkouts(branch)
	if err != nil {
		return err
	}
	if len(places) == 0 {
		return r.Landed(ctx, "", commit, tree, nil)
	}
	return r.Landed(ctx, places[0].Folder, commit, tree, files)
}
