package patch

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// ErrNoRepository says that a folder is in no git repository, or in one without a
// single commit.
var ErrNoRepository = errors.New("no git repository with a commit")

// Repository is the git repository that a folder lies in. It holds no open
// handle: every operation opens the objects afresh, because native git may pack
// or prune them at any time.
type Repository struct {
	// dir is the folder the caller named; paths of changes are relative to it.
	dir string
	// env is what native git is started with.
	env []string
	// top is the root of the working tree, git its private git directory (of this
	// worktree), common the shared one, where refs and objects live.
	top, git, common string
}

// Open finds the repository of a folder; env is the environment that native git is
// started with. It fails with ErrNoRepository when there is none.
func Open(dir string, env []string) (*Repository, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("finding the repository: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, fmt.Errorf("finding the repository: %w", err)
	}
	repo, err := open(dir)
	if errors.Is(err, git.ErrRepositoryNotExists) {
		return nil, ErrNoRepository
	}
	if err != nil {
		return nil, fmt.Errorf("opening the repository: %w", err)
	}
	fs, ok := repo.Storer.(*filesystem.Storage)
	if !ok {
		return nil, errors.New("opening the repository: it is not on disk")
	}
	r := &Repository{dir: dir, env: env, git: fs.Filesystem().Root()}
	tree, err := repo.Worktree()
	if err != nil {
		return nil, fmt.Errorf("opening the repository: %w", err)
	}
	if r.top, err = filepath.EvalSymlinks(tree.Filesystem.Root()); err != nil {
		return nil, fmt.Errorf("opening the repository: %w", err)
	}
	r.common, err = commonDir(r.git)
	return r, err
}

// open makes a fresh handle.
func open(dir string) (*git.Repository, error) {
	return git.PlainOpenWithOptions(dir, &git.PlainOpenOptions{DetectDotGit: true, EnableDotGitCommonDir: true})
}

// objects opens the object store for one operation.
func (r *Repository) objects() (storer.EncodedObjectStorer, *git.Repository, error) {
	repo, err := open(r.dir)
	if err != nil {
		return nil, nil, fmt.Errorf("opening the repository: %w", err)
	}
	return repo.Storer, repo, nil
}

// Head is the branch that is checked out (empty when HEAD is detached) and its
// commit. ErrNoRepository when there is no commit yet.
func (r *Repository) Head() (branch, commit string, err error) {
	_, repo, err := r.objects()
	if err != nil {
		return "", "", err
	}
	head, err := repo.Head()
	if errors.Is(err, plumbing.ErrReferenceNotFound) {
		return "", "", ErrNoRepository
	}
	if err != nil {
		return "", "", fmt.Errorf("reading HEAD: %w", err)
	}
	if head.Name().IsBranch() {
		branch = head.Name().String()
	}
	return branch, head.Hash().String(), nil
}

// inside turns a path of the caller's folder into one of the repository.
func (r *Repository) inside(path string) (string, error) {
	if err := checkPath(path); err != nil {
		return "", fmt.Errorf("placing %q in the repository: %w", path, err)
	}
	rel, err := filepath.Rel(r.top, filepath.Join(r.dir, filepath.FromSlash(path)))
	if err != nil {
		return "", fmt.Errorf("placing %s in the repository: %w", path, err)
	}
	return filepath.ToSlash(rel), nil
}

// checkPath refuses what must never become a tree entry (go-git would write it).
func checkPath(path string) error {
	for _, part := range strings.Split(path, "/") {
		switch {
		case part == "" || part == "." || part == "..":
			return errors.New("the path is not plain")
		case strings.EqualFold(part, ".git"):
			return errors.New("the path leads into .git")
		case strings.ContainsAny(part, "\\\n\r\x00"):
			return errors.New("the path has a character that none may have")
		}
	}
	return nil
}
