package patch

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// zero is the hash that stands for "no such ref".
const zero = "0000000000000000000000000000000000000000"

// ErrMoved says that a ref does not have the value it was expected to have, or
// that somebody else is moving it right now.
var ErrMoved = errors.New("the ref was moved meanwhile")

var (
	hashForm = regexp.MustCompile(`^[0-9a-f]{40}$`)
	refForm  = regexp.MustCompile(`^refs(/[A-Za-z0-9_][A-Za-z0-9_.+@-]*)+$`)
)

// commonDir reads where refs and objects of a (perhaps linked) worktree live.
func commonDir(gitDir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(gitDir, "commondir"))
	if errors.Is(err, fs.ErrNotExist) {
		return gitDir, nil
	}
	if err != nil {
		return "", fmt.Errorf("opening the repository: %w", err)
	}
	dir := strings.TrimSpace(string(data))
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(gitDir, dir)
	}
	return filepath.Clean(dir), nil
}

// Ref reads a ref, loose before packed; "" when it does not exist.
func (r *Repository) Ref(name string) (string, error) {
	if !refForm.MatchString(name) {
		return "", fmt.Errorf("%q is no ref that may be read", name)
	}
	data, err := os.ReadFile(filepath.Join(r.common, filepath.FromSlash(name)))
	if err == nil {
		h := strings.TrimSpace(string(data))
		if !hashForm.MatchString(h) {
			return "", fmt.Errorf("ref %s is damaged or symbolic", name)
		}
		return h, nil
	}
	// A folder of that name, or a file where a folder would be, is no loose ref.
	if info, statErr := os.Stat(filepath.Join(r.common, filepath.FromSlash(name))); !errors.Is(err, fs.ErrNotExist) && (statErr != nil || !info.IsDir()) {
		return "", fmt.Errorf("reading ref %s: %w", name, err)
	}
	packed, err := r.packed()
	return packed[name], err
}

// packed reads the packed refs.
func (r *Repository) packed() (map[string]string, error) {
	f, err := os.Open(filepath.Join(r.common, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the packed refs: %w", err)
	}
	defer func() { _ = f.Close() }()
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

// MoveRef sets a ref from old ("": it must not exist) to hash by git's own lock
// protocol, which native git beside it honours: make <ref>.lock exclusively,
// verify the old value, write, sync, rename. It fails with ErrMoved when the ref
// has another value or is locked. The lock is never removed after the rename.
func (r *Repository) MoveRef(name, old, hash string) (err error) {
	if !refForm.MatchString(name) || strings.HasSuffix(name, ".lock") || strings.Contains(name, "..") {
		return fmt.Errorf("%q is no ref that may be written", name)
	}
	if !hashForm.MatchString(hash) || hash == zero {
		return fmt.Errorf("%q is no commit", hash)
	}
	path := filepath.Join(r.common, filepath.FromSlash(name))
	if err := r.clashes(name); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("moving ref %s: %w", name, err)
	}
	lock, err := os.OpenFile(path+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("moving ref %s: %w: %s.lock exists", name, ErrMoved, name)
	}
	if err != nil {
		return fmt.Errorf("moving ref %s: %w", name, err)
	}
	renamed := false
	defer func() {
		if !renamed {
			err = errors.Join(err, os.Remove(path+".lock"))
		}
	}()
	now, err := r.Ref(name)
	if err != nil {
		return errors.Join(err, lock.Close())
	}
	if now != old {
		return errors.Join(fmt.Errorf("moving ref %s: %w: it is at %s, not %s", name, ErrMoved, orNone(now), orNone(old)), lock.Close())
	}
	_, err = lock.WriteString(hash + "\n")
	if err == nil {
		err = lock.Sync()
	}
	if err = errors.Join(err, lock.Close()); err != nil {
		return fmt.Errorf("moving ref %s: %w", name, err)
	}
	if err := os.Rename(path+".lock", path); err != nil {
		return fmt.Errorf("moving ref %s: %w", name, err)
	}
	renamed = true
	return syncDir(filepath.Dir(path))
}

// clashes refuses a ref that would be a folder of, or lie inside, another one.
func (r *Repository) clashes(name string) error {
	packed, err := r.packed()
	if err != nil {
		return err
	}
	for other := range packed {
		if strings.HasPrefix(other, name+"/") || strings.HasPrefix(name, other+"/") {
			// A packed entry may be stale: only one that still resolves clashes.
			if h, err := r.Ref(other); err == nil && h != "" {
				return fmt.Errorf("moving ref %s: it clashes with %s", name, other)
			}
		}
	}
	return nil
}

// syncDir makes a rename durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("syncing %s: %w", filepath.Base(dir), err)
	}
	return errors.Join(d.Sync(), d.Close())
}

func orNone(h string) string {
	if h == "" {
		return "nothing"
	}
	return h[:8]
}
