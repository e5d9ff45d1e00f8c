package patch

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The maximum lengths of a name and of a path, in bytes, that file systems allow.
const (
	maxName = 255
	maxPath = 4096
)

func splitPath(path string) []string { return strings.Split(path, "/") }

// repoPath converts a path relative to the caller's folder to a path relative to the root
// of the repository.
func (r *Repository) repoPath(path string) (string, error) {
	if err := checkPath(path); err != nil {
		return "", fmt.Errorf("locating %q in the repository: %w", path, err)
	}
	if r.top == "" {
		return path, nil
	}
	rel, err := filepath.Rel(r.top, filepath.Join(r.dir, filepath.FromSlash(path)))
	if err != nil {
		return "", fmt.Errorf("locating %q in the repository: %w", path, err)
	}
	return filepath.ToSlash(rel), nil
}

// checkPath returns an error for paths that must never be written to a tree.
func checkPath(path string) error {
	if len(path) > maxPath {
		return fmt.Errorf("the path is too long: %d bytes", len(path))
	}
	for _, name := range splitPath(path) {
		if err := checkName(name); err != nil {
			return err
		}
		if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) || strings.Contains(name, `\`) {
			return errors.New("the path has a forbidden character")
		}
	}
	return nil
}

// checkName returns an error for names that could lead a write out of its folder or into a
// git folder. Trees in untrusted repositories may contain such names.
func checkName(name string) error {
	switch {
	case name == "" || name == "." || name == "..":
		return errors.New("the path has a segment that is empty, . or ..")
	case len(name) > maxName:
		return fmt.Errorf("a name in the path is too long: %d bytes", len(name))
	case strings.ContainsAny(name, "/\x00"):
		return errors.New("a name contains a slash or a NUL byte")
	case isDotGit(name):
		return errors.New("the path leads into .git")
	}
	return nil
}

// isDotGit reports whether some file system treats a name as .git. File systems may ignore
// case; NTFS also accepts trailing dots and spaces, a stream after a colon, and the short
// name; HFS+ ignores certain characters.
func isDotGit(name string) bool {
	name = strings.ToLower(strings.Map(func(c rune) rune {
		switch {
		case c >= 0x200c && c <= 0x200f, c >= 0x202a && c <= 0x202e, c >= 0x206a && c <= 0x206f, c == 0xfeff:
			return -1
		}
		return c
	}, name))
	for part := range strings.SplitSeq(name, `\`) {
		part, _, _ = strings.Cut(part, ":")
		part = strings.TrimRight(part, ". ")
		if part == ".git" || part == "git~1" {
			return true
		}
	}
	return false
}
