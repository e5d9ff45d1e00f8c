package patch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ErrNoRepository says that a folder is in no git repository, or in one without a
// single commit.
var ErrNoRepository = errors.New("no git repository with a commit")

// Repository is the git repository that a folder lies in, bare ones included. It
// holds no open file: every operation opens the objects afresh, because native git
// may pack or prune them at any time.
type Repository struct {
	layout
	// dir is the folder the caller named; paths of changes are relative to it.
	dir string
	// env is what native git is started with.
	env []string
	// pause waits before a lock is tried again.
	pause func(time.Duration)
	// known are the filter drivers that native git would run; nil: they are asked for anew.
	known *driverList
	// extra is added to the environment of native git, input is what it reads.
	extra []string
	input string
}

// Open finds the repository of a folder; env is the environment that native git is
// started with. It fails with ErrNoRepository when there is none, and with an
// *UnsupportedError when it is of a kind that cannot be written.
func Open(dir string, env []string) (*Repository, error) {
	l, err := located(dir)
	if err != nil {
		return nil, err
	}
	for _, p := range l.problems() {
		if p.Fatal {
			return nil, &UnsupportedError{p}
		}
	}
	if dir, err = real(dir); err != nil {
		return nil, err
	}
	return &Repository{layout: l, dir: dir, env: env, pause: time.Sleep, known: &driverList{}}, nil
}

func located(dir string) (layout, error) {
	dir, err := real(dir)
	if err != nil {
		return layout{}, err
	}
	return locate(dir)
}

// real is a folder's path without links.
func real(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", fmt.Errorf("finding the repository: %w", err)
	}
	return dir, nil
}

// Top is the root of the working tree; empty for a bare repository.
func (r *Repository) Top() string { return r.top }

// Head is the branch that is checked out (empty when HEAD is detached) and its
// commit. ErrNoRepository when there is no commit yet.
func (r *Repository) Head() (branch, commit string, err error) {
	data, err := os.ReadFile(filepath.Join(r.git, "HEAD"))
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
