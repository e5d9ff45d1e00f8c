package patch

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"evolve/patch/diff"
)

// File is one file in a change, with its whole content before and after the change. Its
// path is relative to the folder for which the repository was opened.
type File = diff.File

// Reverse returns the inverse of a change.
func Reverse(files []File) []File {
	out := make([]File, len(files))
	for i, f := range files {
		out[i] = File{Path: f.Path, Old: f.New, New: f.Old}
	}
	return out
}

// Person is an author or committer.
type Person struct {
	Name, Email string
	When        time.Time
}

// ConflictError names the files whose content is not what a change expects.
type ConflictError struct{ Paths []string }

func (e *ConflictError) Error() string {
	return "changed since: " + strings.Join(e.Paths, ", ")
}

// with opens a store, calls op with it, and closes the store.
func (r *Repository) with(op func(*store) error) error {
	s, err := r.openStore()
	if err != nil {
		return err
	}
	defer s.close()
	return op(s)
}

// Commit writes a commit that applies files to a base commit. It writes only objects and
// changes no ref, index or working tree. It fails with a *ConflictError if the contents in
// the base are not the old contents in files.
func (r *Repository) Commit(base string, files []File, message string, by Person) (commit string, err error) {
	if strings.ContainsAny(by.Name+by.Email, "<>\n\x00") || strings.Contains(message, "\x00") {
		return "", errors.New("writing a commit: the name, e-mail address or message contains a forbidden character")
	}
	err = r.with(func(s *store) error {
		_, tree, err := r.applyTo(s, base, files)
		if err != nil {
			return err
		}
		who := object.Signature{Name: by.Name, Email: by.Email, When: by.When}
		var encoded plumbing.MemoryObject
		c := object.Commit{Author: who, Committer: who, Message: message, TreeHash: tree, ParentHashes: []plumbing.Hash{plumbing.NewHash(base)}}
		if err := c.Encode(&encoded); err != nil {
			return fmt.Errorf("writing the commit: %w", err)
		}
		commit = s.add(&encoded).String()
		return s.flush()
	})
	return commit, err
}

// Candidate writes the tree that results from applying files to a base commit, without a
// commit. The tree can be listed and exported until native git prunes it, by default after
// two weeks. Like Commit, Candidate fails with a *ConflictError if the contents in the base
// are not the old contents in files.
func (r *Repository) Candidate(base string, files []File) (tree string, err error) {
	err = r.with(func(s *store) error {
		_, h, err := r.applyTo(s, base, files)
		if err != nil {
			return err
		}
		tree = h.String()
		return s.flush()
	})
	return tree, err
}

// TreeOf returns the tree of a commit.
func (r *Repository) TreeOf(commit string) (tree string, err error) {
	err = r.with(func(s *store) error {
		c, err := s.commit(commit)
		if err == nil {
			tree = c.TreeHash.String()
		}
		return err
	})
	return tree, err
}

// File returns the content of a file in a commit or tree, or nil if there is no such file.
// path is relative to the folder for which the repository was opened.
func (r *Repository) File(commit, path string) (content []byte, err error) {
	at, err := r.repoPath(path)
	if err != nil {
		return nil, err
	}
	err = r.with(func(s *store) error {
		tree, err := s.treeish(commit)
		if err != nil {
			return err
		}
		if content, err = s.content(tree, at); err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		return nil
	})
	return content, err
}

// Rehearse applies files to a base commit and then reverses them, in memory. It returns an
// error if the result is not the tree of the base commit.
func (r *Repository) Rehearse(base string, files []File) error {
	return r.with(func(s *store) error {
		before, after, err := r.applyTo(s, base, files)
		if err != nil {
			return err
		}
		back, err := r.apply(s, after, Reverse(files))
		if err != nil {
			return fmt.Errorf("reversing it: %w", err)
		}
		if back != before {
			return errors.New("reversing it does not restore the original tree")
		}
		return nil
	})
}
