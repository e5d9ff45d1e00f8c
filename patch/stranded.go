package patch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// StrandedError reports that git did not move a branch although it had written files to the
// working tree, or changed the index, before it failed. These files or the index therefore
// differ from the branch.
type StrandedError struct {
	Folder string
	// Paths lists the files that differ from the branch, relative to the root of the
	// working tree.
	Paths []string
	// Err is the error that prevented git from moving the branch.
	Err error
}

func (e *StrandedError) Error() string {
	return fmt.Sprintf("%v; the branch did not move, but in %s these files differ from its commit: %s (`git -C %s restore --source=HEAD --staged --worktree -- %s` restores them)",
		e.Err, e.Folder, strings.Join(e.Paths, ", "), shellWord(e.Folder), shellWords(e.Paths))
}

func (e *StrandedError) Unwrap() error { return e.Err }

// mergeState describes a working tree before a fast-forward.
type mergeState struct {
	folder, head string
	// pending holds the files that the fast-forward will write, relative to the root of the
	// working tree, except those that already have the new content.
	pending []File
	paths   []string
}

// recordMerge records the state of a working tree and the files that a fast-forward to a
// commit will write to it.
func (r *Repository) recordMerge(ctx context.Context, dir, commit string) (mergeState, error) {
	u := mergeState{folder: r.root(dir)}
	var err error
	if u.head, err = r.headOf(ctx, dir); err != nil {
		return u, err
	}
	if u.paths, err = r.Changed(u.head, commit); err != nil {
		return u, err
	}
	files, err := r.Diff(u.head, commit)
	if err != nil {
		return u, nil //nolint:nilerr // a link or a mode: such a file is named, and not put back
	}
	for _, f := range files {
		if there, err := r.written(ctx, u.folder, f); err == nil && !there {
			u.pending = append(u.pending, f)
		}
	}
	return u, nil
}

// headOf returns the commit that is checked out in a working tree.
func (r *Repository) headOf(ctx context.Context, dir string) (string, error) {
	head, err := r.native(ctx, dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil {
		return "", fmt.Errorf("reading HEAD: %w", err)
	}
	return strings.TrimSpace(head), nil
}

// written reports whether a file in a working tree has the new content of a change.
func (r *Repository) written(ctx context.Context, dir string, f File) (bool, error) {
	have, err := onDisk(dir, f.Path)
	if err != nil {
		return false, err
	}
	return r.asCommitted(ctx, dir, f.Path, have, f.New)
}

// restore restores the files and the index that a fast-forward wrote before it failed
// with the given error (cause). It touches only files whose content is exactly what the
// fast-forward writes and was different before. It returns cause, wrapped in a
// *StrandedError if something could not be restored.
func (r *Repository) restore(ctx context.Context, was mergeState, cause error) error {
	ctx = context.WithoutCancel(ctx) // an interrupted command must not leave half of a change either, so the restore is not interrupted
	head, err := r.headOf(ctx, was.folder)
	if err != nil || len(was.paths) == 0 {
		return errors.Join(cause, err)
	}
	if head != was.head {
		return cause // the branch was moved, by this merge or by another git process
	}
	var changed, added []string
	for _, f := range was.pending {
		if there, err := r.written(ctx, was.folder, f); err != nil || !there {
			continue
		}
		if f.Old == nil {
			added = append(added, f.Path)
		} else {
			changed = append(changed, f.Path)
		}
	}
	if len(changed) > 0 {
		_, err = r.native(ctx, was.folder, append([]string{"--literal-pathspecs", "restore", "--quiet", "--source=" + was.head, "--staged", "--worktree", "--"}, changed...)...)
	}
	if len(added) > 0 && err == nil {
		_, err = r.native(ctx, was.folder, append([]string{"--literal-pathspecs", "rm", "--quiet", "--force", "--ignore-unmatch", "--"}, added...)...)
	}
	for _, f := range was.pending {
		if f.Old == nil && err == nil { // git may have failed before it recorded the file in the index
			err = discard(was.folder, f)
		}
	}
	left, failed := r.status(ctx, was.folder, "all", was.paths...)
	if failed != nil {
		left = was.paths
	}
	cause = errors.Join(cause, err, failed)
	if len(left) == 0 {
		return cause
	}
	return &StrandedError{Folder: was.folder, Paths: left, Err: cause}
}

// discard removes a file that a change added, if the file still has the content that the
// change writes.
func discard(dir string, f File) error {
	have, err := onDisk(dir, f.Path)
	if err != nil || have == nil || !bytes.Equal(have, f.New) {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("removing %s: %w", f.Path, err)
	}
	defer root.Close()
	if err := root.Remove(filepath.FromSlash(f.Path)); err != nil {
		return fmt.Errorf("removing %s: %w", f.Path, err)
	}
	return nil
}

// errUnfinished is the error that a [StrandedError] holds if an interrupted fast-forward
// left changed files in a working tree without moving the branch.
var errUnfinished = errors.New("a fast-forward was interrupted")

// PutBack restores the files and the index of a working tree after an interrupted
// fast-forward: one that was to move a branch from the commit base to another commit, and
// ended before the branch moved. PutBack touches only files that have exactly the content
// in the other commit, and it touches nothing if the branch has moved. A *StrandedError
// names the files that it could not restore.
func (r *Repository) PutBack(ctx context.Context, branch, base, commit string) error {
	places, err := r.Checkouts(branch)
	if err != nil {
		return err
	}
	for _, at := range places {
		if at.Folder == "" {
			continue
		}
		was, err := r.recordMerge(ctx, at.Folder, commit)
		if err != nil {
			return err
		}
		files, err := r.Diff(was.head, commit)
		if was.head != base || err != nil || len(files) == len(was.pending) {
			continue // another commit is checked out, or the fast-forward wrote none of its files
		}
		was.pending = files
		err = r.restore(ctx, was, nil)
		var left *StrandedError
		if errors.As(err, &left) && left.Err == nil {
			left.Err = errUnfinished
		}
		if err != nil {
			return err
		}
	}
	return nil
}
