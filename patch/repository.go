package patch

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"evolve/runtime/wholefile"
)

// ErrNoRepository reports that a folder is in no git repository, or in one without
// commits.
var ErrNoRepository = errors.New("no git repository with a commit")

// Repository is the git repository that contains a folder; it may be bare. It holds no
// open files: every operation opens the objects anew, because native git may pack or
// prune them at any time.
type Repository struct {
	layout
	// dir is the folder that the caller named; paths of changes are relative to it.
	dir string
	// env is the environment of native git.
	env []string
	// pause waits before a lock is tried again.
	pause func(time.Duration)
	// drivers are the filter drivers that native git would run.
	drivers *driverList
	indexes *packIndexes
	// extra is added to the environment of native git; input is its standard input.
	extra []string
	input string
}

// Open opens the repository that contains a folder; env is the environment of native git.
// It fails with ErrNoRepository if there is none, and with an *UnsupportedError if it is
// of a kind that cannot be written.
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

// resolve returns a folder's absolute path without links.
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

// Top returns the root of the working tree; empty for a bare repository.
func (r *Repository) Top() string { return r.top }

// Below returns the slash-separated path of the folder that the repository was opened for, from
// the root of its working tree; empty for the root and for a bare repository.
func (r *Repository) Below() string {
	below, err := filepath.Rel(r.top, r.dir)
	if r.top == "" || err != nil || below == "." {
		return ""
	}
	return filepath.ToSlash(below)
}

// Head returns the checked-out branch (empty if HEAD is detached) and its commit. It
// returns ErrNoRepository if there is no commit yet.
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
