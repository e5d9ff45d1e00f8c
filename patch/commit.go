package patch

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"

	"evolve/patch/diff"
)

// File is one file of a change, whole before and after. Its path is relative to the
// folder the repository was opened for.
type File = diff.File

// Reverse is the change that undoes files.
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

// ConflictError names the files that do not hold what a change expects.
type ConflictError struct{ Paths []string }

func (e *ConflictError) Error() string {
	return "changed since: " + strings.Join(e.Paths, ", ")
}

// Commit writes a commit that applies files to a base commit: objects only, no
// ref, index or working tree is touched. It fails with a *ConflictError when the
// base does not hold the old contents.
func (r *Repository) Commit(base string, files []File, message string, by Person) (commit string, err error) {
	store, repo, err := r.objects()
	if err != nil {
		return "", err
	}
	parent, err := repo.CommitObject(plumbing.NewHash(base))
	if err != nil {
		return "", fmt.Errorf("reading commit %s: %w", base, err)
	}
	tree, err := r.apply(store, parent.TreeHash, files)
	if err != nil {
		return "", err
	}
	who := object.Signature{Name: by.Name, Email: by.Email, When: by.When}
	c := &object.Commit{Author: who, Committer: who, Message: message, TreeHash: tree, ParentHashes: []plumbing.Hash{parent.Hash}}
	h, err := writeObject(store, c)
	if err != nil {
		return "", fmt.Errorf("writing the commit: %w", err)
	}
	return h.String(), nil
}

// Rehearse applies files to a base commit and takes them back again, on objects
// alone, and reports an error unless the very same tree comes out.
func (r *Repository) Rehearse(base string, files []File) error {
	store, repo, err := r.objects()
	if err != nil {
		return err
	}
	parent, err := repo.CommitObject(plumbing.NewHash(base))
	if err != nil {
		return fmt.Errorf("reading commit %s: %w", base, err)
	}
	there, err := r.apply(store, parent.TreeHash, files)
	if err != nil {
		return err
	}
	back, err := r.apply(store, there, Reverse(files))
	if err != nil {
		return fmt.Errorf("taking it back: %w", err)
	}
	if back != parent.TreeHash {
		return errors.New("taking it back does not restore the tree it started from")
	}
	return nil
}

// apply returns the tree with files changed.
func (r *Repository) apply(store storer.EncodedObjectStorer, tree plumbing.Hash, files []File) (plumbing.Hash, error) {
	var conflicts []string
	for _, f := range files {
		path, err := r.inside(f.Path)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		old, err := blob(store, tree, path)
		if err != nil {
			return plumbing.ZeroHash, fmt.Errorf("reading %s: %w", f.Path, err)
		}
		if (old == nil) != (f.Old == nil) || string(old) != string(f.Old) {
			conflicts = append(conflicts, f.Path)
			continue
		}
		if tree, err = splice(store, tree, strings.Split(path, "/"), f.New); err != nil {
			return plumbing.ZeroHash, fmt.Errorf("changing %s: %w", f.Path, err)
		}
	}
	if len(conflicts) > 0 {
		return plumbing.ZeroHash, &ConflictError{Paths: conflicts}
	}
	return tree, nil
}

// blob reads a file of a tree, nil when there is none.
func blob(store storer.EncodedObjectStorer, tree plumbing.Hash, path string) ([]byte, error) {
	t, err := object.GetTree(store, tree)
	if err != nil {
		return nil, err
	}
	f, err := t.File(path)
	if errors.Is(err, object.ErrFileNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if f.Mode != filemode.Regular && f.Mode != filemode.Executable {
		return nil, errors.New("it is no regular file")
	}
	rd, err := f.Reader()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(rd)
	if closing := rd.Close(); err == nil {
		err = closing
	}
	if data == nil {
		data = []byte{}
	}
	return data, err
}

// splice replaces one file below a tree and returns the new tree. A folder that
// becomes empty disappears, as git has no empty folders.
func splice(store storer.EncodedObjectStorer, tree plumbing.Hash, path []string, content []byte) (plumbing.Hash, error) {
	var t object.Tree
	if !tree.IsZero() {
		have, err := object.GetTree(store, tree)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		t.Entries = slices.Clone(have.Entries)
	}
	at := slices.IndexFunc(t.Entries, func(e object.TreeEntry) bool { return e.Name == path[0] })
	entry := object.TreeEntry{Name: path[0], Mode: filemode.Regular}
	if at >= 0 {
		entry = t.Entries[at]
	}
	var err error
	switch {
	case len(path) > 1:
		if at >= 0 && entry.Mode != filemode.Dir {
			return plumbing.ZeroHash, fmt.Errorf("%s is no folder", path[0])
		}
		entry.Mode = filemode.Dir
		if entry.Hash, err = splice(store, entry.Hash, path[1:], content); err != nil {
			return plumbing.ZeroHash, err
		}
	case content == nil:
		entry.Hash = plumbing.ZeroHash
	default:
		if at >= 0 && !entry.Mode.IsFile() {
			return plumbing.ZeroHash, fmt.Errorf("%s is no file", path[0])
		}
		if entry.Hash, err = writeBlob(store, content); err != nil {
			return plumbing.ZeroHash, err
		}
	}
	switch {
	case entry.Hash.IsZero() && at >= 0:
		t.Entries = slices.Delete(t.Entries, at, at+1)
	case entry.Hash.IsZero():
	case at >= 0:
		t.Entries[at] = entry
	default:
		t.Entries = append(t.Entries, entry)
	}
	if len(t.Entries) == 0 && len(path) >= 1 {
		return plumbing.ZeroHash, nil
	}
	// Git orders a folder as if its name ended in a slash.
	slices.SortFunc(t.Entries, func(a, b object.TreeEntry) int { return strings.Compare(sortName(a), sortName(b)) })
	return writeObject(store, &t)
}

func sortName(e object.TreeEntry) string {
	if e.Mode == filemode.Dir {
		return e.Name + "/"
	}
	return e.Name
}

func writeBlob(store storer.EncodedObjectStorer, content []byte) (plumbing.Hash, error) {
	o := store.NewEncodedObject()
	o.SetType(plumbing.BlobObject)
	w, err := o.Writer()
	if err != nil {
		return plumbing.ZeroHash, err
	}
	if _, err := w.Write(content); err != nil {
		return plumbing.ZeroHash, errors.Join(err, w.Close())
	}
	if err := w.Close(); err != nil {
		return plumbing.ZeroHash, err
	}
	return store.SetEncodedObject(o)
}

// encoder is a tree or commit that can be written.
type encoder interface {
	Encode(plumbing.EncodedObject) error
}

func writeObject(store storer.EncodedObjectStorer, e encoder) (plumbing.Hash, error) {
	o := store.NewEncodedObject()
	if err := e.Encode(o); err != nil {
		return plumbing.ZeroHash, err
	}
	return store.SetEncodedObject(o)
}
