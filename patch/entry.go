package patch

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// The modes of a tree's entries as they are stored, in octal.
const (
	modeRegular    = "100644"
	modeExecutable = "100755"
	modeFolder     = "40000"
	modeLink       = "120000"
	modeSubmodule  = "160000"
)

// entry is one entry of a tree object. The mode is retained in its stored form, because old
// repositories have other modes, and unchanged parts of a tree must keep the same hash.
type entry struct {
	mode string
	name string
	hash plumbing.Hash
}

func (e entry) isFolder() bool { return e.mode == modeFolder || e.mode == "0"+modeFolder }

// isFile reports whether the entry is a regular file. Regular files with the unusual
// permissions of old repositories count, too.
func (e entry) isFile() bool { return strings.HasPrefix(e.mode, "100") && len(e.mode) == 6 }

// executable reports whether git treats the file as executable.
func (e entry) executable() bool { return e.isFile() && (e.mode[3]-'0')&1 == 1 }

// folder returns the entries of a tree object unchecked, so their names may be invalid. The
// zero hash stands for an empty folder.
func (s *store) folder(h plumbing.Hash) ([]entry, error) {
	if h.IsZero() {
		return nil, nil
	}
	// A few trees that contain each other many times can expand to an enormous tree.
	if s.folders++; s.folders > maxEntries {
		return nil, fmt.Errorf("the tree has more than %d folders", maxEntries)
	}
	data, err := s.read(h, plumbing.TreeObject)
	if err != nil {
		return nil, err
	}
	var out []entry
	for len(data) > 0 {
		space := bytes.IndexByte(data, ' ')
		end := bytes.IndexByte(data, 0)
		if space <= 0 || end < space || len(data) < end+21 {
			return nil, fmt.Errorf("the tree %s is damaged", h)
		}
		out = append(out, entry{mode: string(data[:space]), name: string(data[space+1 : end]), hash: plumbing.Hash(data[end+1 : end+21])})
		data = data[end+21:]
	}
	return out, nil
}

// putFolder stores a tree object. It returns the zero hash if there are no entries, because
// git has no empty folders.
func (s *store) putFolder(entries []entry) (plumbing.Hash, error) {
	if len(entries) == 0 {
		return plumbing.ZeroHash, nil
	}
	// Git sorts a folder as if its name ended with a slash.
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.order(), b.order()) })
	var b bytes.Buffer
	for i, e := range entries {
		if i > 0 && e.name == entries[i-1].name {
			return plumbing.ZeroHash, errors.New("two entries of a tree have the same name")
		}
		b.WriteString(e.mode + " " + e.name + "\x00")
		b.Write(e.hash[:])
	}
	return s.put(plumbing.TreeObject, b.Bytes()), nil
}

func (e entry) order() string {
	if e.isFolder() {
		return e.name + "/"
	}
	return e.name
}

// at returns the entry at a path below a tree; ok is false if there is none.
func (s *store) at(tree plumbing.Hash, path string) (e entry, ok bool, err error) {
	parts := splitPath(path)
	for i, part := range parts {
		entries, err := s.folder(tree)
		if err != nil {
			return e, false, err
		}
		k := entryIndex(entries, part)
		if k < 0 {
			return e, false, nil
		}
		e = entries[k]
		if i == len(parts)-1 {
			return e, true, nil
		}
		if !e.isFolder() {
			return e, false, nil
		}
		tree = e.hash
	}
	return e, false, nil
}
