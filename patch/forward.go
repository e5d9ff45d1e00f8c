package patch

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Forward fast-forwards the checked-out files, together with their branch, to a commit that
// descends from the branch's commit.
func (r *Repository) Forward(ctx context.Context, commit string) error {
	if err := r.fastForward(ctx, r.dir, commit); err != nil {
		return fmt.Errorf("fast-forwarding the working tree: %w", err)
	}
	return nil
}

// fastForward fast-forwards the files that are checked out in a folder to a commit that
// descends from the checked-out commit. Only native git does this safely: it handles
// filters, sparse checkouts and index formats, takes the lock of the index, and does not
// overwrite files that would be lost. Git writes the files and the index before it locks
// the branch. If git fails, fastForward restores them, or returns a *StrandedError that
// names them.
func (r *Repository) fastForward(ctx context.Context, dir, commit string) error {
	was, err := r.recordMerge(ctx, dir, commit)
	if err != nil {
		return err
	}
	_, err = r.native(ctx, dir, "merge", "--ff-only", "--quiet", "--no-stat", "--no-verify-signatures", "--no-autostash", "--no-overwrite-ignore", commit)
	if err == nil {
		return nil
	}
	if m := lockTaken.FindStringSubmatch(err.Error()); m != nil {
		err = &LockedError{Lock: m[1]}
	}
	return r.restore(ctx, was, err)
}

// lockTaken matches git's error message that the lock of a ref or of the index is taken.
var lockTaken = regexp.MustCompile(`Unable to create '([^'\n]+\.lock)': File exists`)

// Start creates a repository for a folder that is not in a repository or whose repository
// has no commit, and commits the named files in it. Their paths are relative to the folder
// and separated by slashes. Start leaves out files that the folder's .gitignore excludes,
// and everything that is already staged. At least one file must remain.
func Start(ctx context.Context, dir string, env []string, files []string, message string, by Person) (*Repository, error) {
	r := &Repository{dir: dir, env: env, drivers: &driverList{}}
	if _, err := Open(dir, env); errors.Is(err, ErrNoRepository) {
		if _, err := r.native(ctx, dir, "init", "--quiet", "--initial-branch=main"); err != nil {
			return nil, fmt.Errorf("creating the repository: %w", err)
		}
	} else if err != nil {
		return nil, err
	}
	files, err := r.notIgnored(ctx, dir, files)
	if err != nil {
		return nil, err
	}
	if _, err := r.native(ctx, dir, append([]string{"--literal-pathspecs", "add", "--"}, files...)...); err != nil {
		return nil, fmt.Errorf("adding the workspace: %w", err)
	}
	commit := []string{
		"--literal-pathspecs", "-c", "user.name=" + by.Name, "-c", "user.email=" + by.Email,
		"commit", "--quiet", "--no-verify", "--message", message, "--only", "--",
	}
	if _, err := r.native(ctx, dir, append(commit, files...)...); err != nil {
		return nil, fmt.Errorf("committing the workspace: %w", err)
	}
	return Open(dir, env)
}

// notIgnored returns the files that no .gitignore excludes.
func (r *Repository) notIgnored(ctx context.Context, dir string, files []string) ([]string, error) {
	out, err := r.native(ctx, dir, append([]string{"--literal-pathspecs", "ls-files", "-z", "--others", "--cached", "--exclude-standard", "--"}, files...)...)
	if err != nil {
		return nil, fmt.Errorf("listing ignored files: %w", err)
	}
	var kept []string
	for name := range strings.SplitSeq(out, "\x00") {
		if name != "" {
			kept = append(kept, name)
		}
	}
	if len(kept) == 0 {
		return nil, errors.New("git ignores every file of the workspace")
	}
	return kept, nil
}

// Dirty lists the paths that differ from the committed state: modified, staged, removed or
// never added.
func (r *Repository) Dirty(ctx context.Context, paths []string) ([]string, error) {
	return r.status(ctx, r.dir, "all", paths...)
}

// status lists the paths that git status reports below the given paths, or all that it
// reports if none are given. untracked is "all" or "no".
func (r *Repository) status(ctx context.Context, dir, untracked string, paths ...string) ([]string, error) {
	args := []string{"--literal-pathspecs", "status", "--porcelain", "-z", "--untracked-files=" + untracked, "--no-renames", "--ignore-submodules=all", "--"}
	out, err := r.native(ctx, dir, append(args, paths...)...)
	if err != nil {
		return nil, fmt.Errorf("listing uncommitted changes: %w", err)
	}
	var changed []string
	for line := range strings.SplitSeq(out, "\x00") {
		if len(line) > 3 {
			changed = append(changed, line[3:])
		}
	}
	return changed, nil
}
