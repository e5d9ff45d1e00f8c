package patch

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"evolve/runtime/wholefile"
)

// Ref returns the value of a ref, or "" if it does not exist. It reads the loose ref before
// the packed one. Native git may pack and move refs in the meantime; the result is a value
// that the ref had during the call.
func (r *Repository) Ref(name string) (string, error) {
	if err := checkRef(name); err != nil {
		return "", err
	}
	h, err := r.loose(name)
	if err != nil || h != "" {
		return h, err
	}
	// The ref was not loose a moment ago, so it is packed or did not exist; a packed ref
	// stays packed until it is deleted.
	packed, err := r.packed()
	if err != nil {
		return "", err
	}
	return packed[name], nil
}

// loose reads a ref's own file; it returns "" if there is none.
func (r *Repository) loose(name string) (string, error) {
	data, err := wholefile.Read(r.refPath(name), maxGitFile)
	switch {
	case noFile(err):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("reading the ref %s: %w", name, err)
	}
	h := strings.TrimSpace(string(data))
	switch {
	case strings.HasPrefix(h, "ref:"):
		return "", fmt.Errorf("the ref %s is symbolic", name)
	case !hashForm.MatchString(h):
		return "", fmt.Errorf("the ref %s is damaged", name)
	}
	return h, nil
}

// noFile reports whether err means that a path is not a file: nothing is there, it is a
// folder, or one of its parents is a file.
func noFile(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.ENOTDIR)
}

func (r *Repository) refPath(name string) string {
	return filepath.Join(r.common, filepath.FromSlash(name))
}

// packed reads the packed refs. Native git never changes their file in place, but
// replaces the whole file.
func (r *Repository) packed() (map[string]string, error) {
	f, err := wholefile.Open(filepath.Join(r.common, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the packed refs: %w", err)
	}
	defer f.Close()
	out := map[string]string{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		hash, name, ok := strings.Cut(lines.Text(), " ")
		if ok && hashForm.MatchString(hash) {
			out[name] = hash
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading the packed refs: %w", err)
	}
	return out, nil
}
