package gotest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"evolve/patch"
)

// treeEntry is one file in an exported tree.
type treeEntry struct {
	mode fs.FileMode // the mode of a regular file, executable or not, or of a symbolic link
	sum  [sha256.Size]byte
}

// tree lists the files below a folder by their slash-separated paths.
type tree struct {
	root  string
	files map[string]treeEntry
	// settled reports whether every file has the timestamp derived from its content, and
	// exactly the permissions of its mode, as after an export.
	settled bool
}

// readTree reads every file below a folder once.
func readTree(root string) (tree, error) {
	t := tree{root: root, files: map[string]treeEntry{}, settled: true}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, mode, err := content(name, info.Mode())
		if err != nil {
			return err
		}
		t.files[filepath.ToSlash(rel)] = treeEntry{mode, sha256.Sum256(data)}
		t.settled = t.settled && info.Mode() == mode && info.ModTime().Equal(patch.TimeOf(data))
		return nil
	})
	return t, err
}

// content returns the content of a file or a link, and its mode in the form in which a
// repository stores it.
func content(name string, mode fs.FileMode) ([]byte, fs.FileMode, error) {
	switch {
	case mode.IsRegular():
		data, err := os.ReadFile(name)
		if mode.Perm()&0o100 != 0 {
			return data, 0o755, err
		}
		return data, 0o644, err
	case mode.Type() == fs.ModeSymlink:
		target, err := os.Readlink(name)
		return []byte(target), fs.ModeSymlink, err
	}
	return nil, 0, fmt.Errorf("%s is neither a file nor a link", name)
}

// digest returns a hash of the whole tree.
func (t tree) digest() string {
	h := sha256.New()
	for _, p := range slices.Sorted(maps.Keys(t.files)) {
		e := t.files[p]
		fmt.Fprintf(h, "%q %o %x\n", p, e.mode, e.sum)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// differences lists the paths at which two trees differ.
func differences(a, b tree) []string {
	var out []string
	for p, e := range a.files {
		if b.files[p] != e {
			out = append(out, p)
		}
	}
	for p := range b.files {
		if _, ok := a.files[p]; !ok {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}

// IsTest reports whether a file belongs to the tests. The gates use the base's version of
// such a file, regardless of the candidate's.
func IsTest(p string) bool {
	return strings.HasSuffix(p, "_test.go") || slices.Contains(strings.Split(path.Dir(p), "/"), "testdata")
}

// merge returns the files of base, except that the files listed in take come from other,
// or are left out if other does not have them. roots maps each file to the root of the
// tree that contains it.
func merge(base, other tree, take []string) (files map[string]treeEntry, roots map[string]string) {
	files, roots = maps.Clone(base.files), map[string]string{}
	for p := range files {
		roots[p] = base.root
	}
	for _, p := range take {
		delete(files, p)
		delete(roots, p)
		if e, ok := other.files[p]; ok {
			files[p], roots[p] = e, other.root
		}
	}
	return files, roots
}

// assemble returns a folder with a merged tree. This is the folder of one of the two
// trees if the result equals that tree and shared is set, and otherwise the new folder,
// whose path is in to. The timestamp of each file is derived from its content, so that
// caches that recognise files by their timestamps, such as the cache of test results,
// distinguish different contents and recognise equal ones.
//
// shared states that nothing can write to the result, which may then be one of the
// caller's trees or share files with them.
func assemble(to string, base, other tree, take []string, shared bool) (string, error) {
	files, roots := merge(base, other, take)
	if shared {
		for _, t := range []tree{other, base} {
			if t.settled && maps.Equal(files, t.files) {
				return t.root, nil
			}
		}
	}
	linked := map[string]bool{base.root: shared && base.settled, other.root: shared && other.settled}
	half := to + ".part" // a tree gets its final name only when it is complete
	for p, root := range roots {
		if err := put(filepath.Join(root, filepath.FromSlash(p)), filepath.Join(half, filepath.FromSlash(p)), linked[root]); err != nil {
			return "", err
		}
	}
	return to, errors.Join(settle(half), os.Rename(half, to))
}

// put copies a file or a link, or creates a hard link to the file if it may be linked and
// both paths are on one disk.
func put(from, to string, linked bool) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if linked && os.Link(from, to) == nil {
		return nil
	}
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	data, mode, err := content(from, info.Mode())
	if err != nil {
		return err
	}
	if mode == fs.ModeSymlink {
		return os.Symlink(string(data), to)
	}
	if err := os.WriteFile(to, data, mode); err != nil {
		return err
	}
	t := patch.TimeOf(data)
	return os.Chtimes(to, t, t)
}

// settle sets the timestamps of all folders below root to the same time, because folders
// have no content to derive a time from.
func settle(root string) error {
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		t := patch.TimeOf(nil)
		return os.Chtimes(name, t, t)
	})
}
