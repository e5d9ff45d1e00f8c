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

	"github.com/go-git/go-git/v5/plumbing"

	"evolve/runtime/tempdir"
	"evolve/runtime/wholefile"
)

// HinderedError reports that git could not apply a change to a working tree, or would write
// content there that differs from the committed content. Nothing was changed.
type HinderedError struct {
	// Why describes the obstacle; it contains file names.
	Why string
	// Hint describes what a person can do.
	Hint string
	// Rewrites reports whether git would write content that differs from the committed
	// content. Git then treats such a file as changed.
	Rewrites bool
}

func (e *HinderedError) Error() string { return e.Why }

// Movable checks whether native git could apply the change to what is checked out, without
// writing to the working tree or the index. If not, it fails with a *HinderedError, a
// *LockedError or ErrNoGit. A change that is already applied there is movable.
func (r *Repository) Movable(ctx context.Context, files []File) error {
	_, head, err := r.Head()
	if err != nil {
		return err
	}
	return r.movable(ctx, r.dir, head, files)
}

// MovableBranch is like Movable, but for a branch that is at the commit base. It checks
// the working tree that [Repository.Advance] would update. A branch that is not checked
// out is movable unless it is locked.
func (r *Repository) MovableBranch(ctx context.Context, branch, base string, files []File) error {
	places, err := r.Checkouts(branch)
	if err != nil {
		return err
	}
	if len(places) == 0 {
		return r.waitUnlocked(r.refPath(branch))
	}
	paths := make([]string, len(files))
	for i, f := range files {
		if paths[i], err = r.repoPath(f.Path); err != nil {
			return err
		}
	}
	if err := r.checkCheckout(ctx, Move{Ref: branch, Old: base}, places, paths); err != nil {
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
			Why:      "git would write these files with content that differs from what is committed: " + strings.Join(rewritten, ", "),
			Hint:     "in .gitattributes or .git/info/attributes, unset the attributes that change the content, with a line such as `" + plainAttributes(paths[0]) + "`",
		}
	}
	if err := r.checkUncommitted(ctx, dir, files); err != nil {
		return err
	}
	if err := r.checkSkipped(ctx, dir, paths); err != nil {
		return err
	}
	tree, err := r.Candidate(head, files)
	var conflict *ConflictError
	if errors.As(err, &conflict) {
		return nil // this makes the commit fail with an error that names the files
	}
	if err != nil {
		return err
	}
	return r.dryRun(ctx, dir, head, tree, paths)
}

// plainAttributes returns a line for .gitattributes that makes git write a file as
// committed.
func plainAttributes(path string) string {
	return strings.ReplaceAll(path, " ", "[[:space:]]") + " -filter -ident -working-tree-encoding"
}

// checkUncommitted returns an error for files in the working tree that differ from the
// commit, even if the index lists them as unchanged. The check is needed because git trusts
// the index, and because git overwrites ignored files.
func (r *Repository) checkUncommitted(ctx context.Context, dir string, files []File) error {
	var touched []string
	for _, f := range files {
		have, err := onDisk(dir, f.Path)
		if err != nil {
			return err
		}
		if have == nil && f.Old != nil {
			continue // git distinguishes removed files from those that a sparse checkout leaves out
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
				continue // an earlier git process was stopped after writing the file; the dry run shows whether git can continue
			}
			touched = append(touched, f.Path)
		}
	}
	if len(touched) > 0 {
		return &HinderedError{Why: "not committed: " + strings.Join(touched, ", "), Hint: "commit or restore them, then repeat the command"}
	}
	return nil
}

// asCommitted reports whether the content of a file in a working tree is what git writes
// for the committed content: the same content, or the same except for CRLF line endings
// that attributes and settings require.
func (r *Repository) asCommitted(ctx context.Context, dir, path string, have, want []byte) (bool, error) {
	if (have == nil) != (want == nil) {
		return false, nil
	}
	if bytes.Equal(have, want) {
		return true, nil
	}
	if !bytes.Equal(bytes.ReplaceAll(have, []byte("\r\n"), []byte("\n")), want) {
		return false, nil
	}
	rel, err := filepath.Rel(r.root(dir), filepath.Join(dir, path))
	if err != nil {
		return false, fmt.Errorf("reading the working tree: %w", err)
	}
	var blob string
	err = r.with(func(s *store) error {
		blob = s.put(plumbing.BlobObject, want).String() // git applies filters only to stored objects
		return s.flush()
	})
	var written string
	if err == nil {
		written, err = r.native(ctx, dir, "cat-file", "--filters", "--path="+filepath.ToSlash(rel), blob)
	}
	if err != nil {
		return false, fmt.Errorf("reading the line endings of %s: %w", path, err)
	}
	return string(have) == written, nil
}

// onDisk returns the content of a regular file below dir, or nil if there is none.
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
		return nil, &HinderedError{Why: path + " is not a regular file in the working tree", Hint: "move it away, then repeat the command"}
	}
	var data []byte
	if err == nil {
		data, err = wholefile.ReadIn(root, name, maxTreeFile)
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

// dryRun checks whether git could update a working tree from a commit to a tree. To do
// so, it runs git on a copy of the index.
func (r *Repository) dryRun(ctx context.Context, dir, head, tree string, paths []string) (err error) {
	path, err := r.native(ctx, dir, "rev-parse", "--path-format=absolute", "--git-path", "index")
	if err != nil {
		return fmt.Errorf("finding the index: %w", err)
	}
	index := strings.TrimRight(path, "\n")
	if err := r.checkUnlocked(index); err != nil {
		return err
	}
	scratch, err := tempdir.Make("index")
	if err != nil {
		return fmt.Errorf("simulating the update of the working tree: %w", err)
	}
	defer func() { err = errors.Join(err, scratch.Remove()) }()
	copied := filepath.Join(scratch.Path, "index")
	data, err := wholefile.Read(index, maxTreeFile)
	if err == nil {
		err = os.WriteFile(copied, data, 0o600)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a missing index counts as empty
		return fmt.Errorf("simulating the update of the working tree: %w", err)
	}
	with := *r
	with.extra = []string{"GIT_INDEX_FILE=" + copied}
	// Refresh the entries that differ only in their times. git exits with 1 if other
	// entries have changes.
	_, _ = with.native(ctx, dir, "update-index", "-q", "--refresh")
	if _, err := with.native(ctx, dir, "read-tree", "-m", "-u", "--dry-run", head, tree); err != nil {
		return &HinderedError{
			Why:  "git would refuse to update the working tree: " + strings.Join(strings.Fields(err.Error()), " "),
			Hint: "commit, restore or move away the files that git names, then repeat the command",
		}
	}
	return with.checkSparse(ctx, dir, filepath.Dir(index), filepath.Join(scratch.Path, "tree"), head, tree, paths)
}

// AlteredError reports that files in a working tree differ from the commit that was just
// checked out there. The branch already contains the commit.
type AlteredError struct {
	Commit, Folder string
	// Paths lists the files that differ. It is empty if the commit itself does not have the
	// tree that the gates checked.
	Paths []string
}

func (e *AlteredError) Error() string {
	if len(e.Paths) == 0 {
		return fmt.Sprintf("the commit %.12s was made, but its tree is not the one that the gates checked", e.Commit)
	}
	return fmt.Sprintf("the commit %.12s was made, but in %s these files differ from the commit: %s", e.Commit, e.Folder, strings.Join(e.Paths, ", "))
}

// Hint describes what a person can do.
func (e *AlteredError) Hint() string {
	if len(e.Paths) == 0 {
		return "another program or a git hook changed the commit; `git -C " + shellWord(e.Folder) + " show " + e.Commit + "` shows it"
	}
	return "`git -C " + shellWord(e.Folder) + " checkout " + e.Commit + " -- " + shellWords(e.Paths) + "` restores the files, which another program changed while git wrote them"
}

// Landed checks that a commit has the given tree, which the gates have checked. It also
// checks that, in the working tree in which a branch is checked out, the files of a change
// are as committed. If branch is empty, the repository's own working tree is checked; if
// tree is empty, the commit is not checked. For a branch that is not checked out, Landed
// checks only the commit. It fails with an *AlteredError if files or the tree differ.
func (r *Repository) Landed(ctx context.Context, branch, commit, tree string, files []File) error {
	dir := r.dir
	if branch != "" {
		places, err := r.Checkouts(branch)
		if err != nil {
			return err
		}
		if len(places) == 0 {
			files = nil
		} else {
			dir = places[0].Folder
		}
	}
	got, err := r.TreeOf(commit)
	if err != nil {
		return err
	}
	if tree != "" && got != tree {
		return &AlteredError{Commit: commit, Folder: dir}
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
