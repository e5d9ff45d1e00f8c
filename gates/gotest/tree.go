package gotest

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entry is one file of an exported tree.
type entry struct {
	mode fs.FileMode // regular, with or without the right to execute, or a symbolic link
	sum  [sha256.Size]byte
}

// tree lists the files below a folder by their slash-separated paths.
type tree struct {
	root  string
	files map[string]entry
}

// readTree reads every file below a folder once.
func readTree(root string) (tree, error) {
	t := tree{root: root, files: map[string]entry{}}
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
		t.files[filepath.ToSlash(rel)] = entry{mode, sha256.Sum256(data)}
		return nil
	})
	return t, err
}

// content is what a file or a link holds, and its mode as a repository knows it.
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

// digest names the content of the whole tree.
func (t tree) digest() string {
	h := sha256.New()
	for _, p := range slices.Sorted(maps.Keys(t.files)) {
		e := t.files[p]
		fmt.Fprintf(h, "%q %o %x\n", p, e.mode, e.sum)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// differences lists the paths that two trees do not have alike.
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

// isTest tells the files that judge a patch: those of the base stay whatever the
// candidate made of them.
func isTest(p string) bool {
	return strings.HasSuffix(p, "_test.go") || slices.Contains(strings.Split(path.Dir(p), "/"), "testdata")
}

// assemble writes a tree to a new folder: the files of base, but those that take
// has, as they are in other, and those absent there removed. The time of each file
// is derived from its content, so that whatever remembers files by their times,
// such as the cache of test results, tells two contents apart and knows one again.
func assemble(to string, base, other tree, take []string) error {
	from := map[string]string{}
	for p := range base.files {
		from[p] = base.root
	}
	for _, p := range take {
		delete(from, p)
		if _, ok := other.files[p]; ok {
			from[p] = other.root
		}
	}
	for p, root := range from {
		if err := copyFile(filepath.Join(root, filepath.FromSlash(p)), filepath.Join(to, filepath.FromSlash(p))); err != nil {
			return err
		}
	}
	return settle(to)
}

func copyFile(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	data, mode, err := content(from, info.Mode())
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if mode == fs.ModeSymlink {
		return os.Symlink(string(data), to)
	}
	return writeFile(to, data, mode)
}

// writeFile writes a file whose time follows from its content.
func writeFile(name string, data []byte, mode fs.FileMode) error {
	if err := os.WriteFile(name, data, mode); err != nil {
		return err
	}
	t := timeOf(data)
	return os.Chtimes(name, t, t)
}

// timeOf is a time between 1990 and 2012 that follows from a content.
func timeOf(data []byte) time.Time {
	sum := sha256.Sum256(data)
	n := binary.BigEndian.Uint64(sum[:])
	const from, span = 631152000, 22 * 365 * 24 * 3600
	return time.Unix(from+int64(n%span), int64(n>>32)%1e9)
}

// settle gives every folder below root one time, as folders have no content.
func settle(root string) error {
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		t := timeOf(nil)
		return os.Chtimes(name, t, t)
	})
}
