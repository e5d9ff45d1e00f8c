package patch

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"evolve/runtime/wholefile"
)

// ErrNoRepository reports that a folder is not in a git repository, or that the repository
// has no commits.
var ErrNoRepository = errors.New("no git repository with a commit")

// Repository is the git repository that contains a folder; it may be bare. It holds no
// open files: every operation opens the objects anew, because native git may pack or
// prune them at any time.
type Repository struct {
	layout
	// dir is the folder that the caller named; the paths of changes are relative to it.
	dir string
	// env is the environment of native git.
	env []string
	// pause waits before another attempt to take a lock.
	pause func(time.Duration)
	// drivers are the filter drivers that native git would run.
	drivers *driverList
	indexes *packIndexes
	// extra is added to the environment of native git; input is native git's standard
	// input.
	extra []string
	input string
}

// Open opens the repository that contains a folder; env is the environment of native git.
// It fails with ErrNoRepository if there is no repository, and with an *UnsupportedError if
// the repository is of a kind to which this package cannot write.
func Open(dir string, env []string) (*Repository, error) {
	l, err := locateFrom(dir)
	if err != nil {
		return nil, err
	}
	for _, p := range l.problems() {
		if p.Fatal {
			return nil, &UnsupportedError{p}
		}
	}
	if dir, err = resolve(dir); err != nil {
		return nil, err
	}
	return &Repository{layout: l, dir: dir, env: env, pause: time.Sleep, drivers: &driverList{}, indexes: &packIndexes{byPath: map[string]packIndex{}}}, nil
}

func locateFrom(dir string) (layout, error) {
	dir, err := resolve(dir)
	if err != nil {
		return layout{}, err
	}
	return locate(dir)
}

// resolve returns a folder's absolute path, with links resolved.
func resolve(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", fmt.Errorf("finding the repository: %w", err)
	}
	return dir, nil
}

// Top returns the root of the working tree; it is empty for a bare repository.
func (r *Repository) Top() string { return r.top }

// Below returns the path of the folder for which the repository was opened, slash-separated
// and relative to the root of the working tree. It is empty for the root and for a bare
// repository.
func (r *Repository) Below() string {
	below, err := filepath.Rel(r.top, r.dir)
	if r.top == "" || err != nil || below == "." {
		return ""
	}
	return filepath.ToSlash(below)
}

// Head returns the checked-out branch, which is empty if HEAD is detached, and the
// checked-out commit. It fails with ErrNoRepository if there is no commit yet.
func (r *Repository) Head() (branch, commit string, err error) {
	data, err := wholefile.Read(filepath.Join(r.git, "HEAD"), maxGitFile)
	if err != nil {
		return "", "", fmt.Errorf("reading HEAD: %w", err)
	}
	commit = strings.TrimSpace(string(data))
	if name, symbolic := strings.CutPrefix(commit, "ref:"); symbolic {
		branch = strings.TrimSpace(name)
		if commit, err = r.Ref(branch); err != nil {
			return "", "", fmt.Errorf("reading HEAD: %w", err)
		}
		if commit == "" {
			return "", "", ErrNoRepository
		}
		return branch, commit, nil
	}
	if !hashForm.MatchString(commit) {
		return "", "", errors.New("reading HEAD: it is damaged")
	}
	return "", commit, nil
}

// Folder returns the root of the working tree, or of a bare repository.
func (r *Repository) Folder() string { return r.root(r.dir) }
