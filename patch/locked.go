package patch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"evolve/runtime/wholefile"
)

// checkUnlocked returns an error if a lock that a fast-forward in a working tree must take
// already exists. index is the path of the working tree's index. The check is needed
// because git takes the locks on the refs only after it has written the files.
func (r *Repository) checkUnlocked(index string) error {
	if _, err := os.Lstat(index + ".lock"); err == nil {
		return &LockedError{Lock: index + ".lock"}
	}
	private := filepath.Dir(index)
	refs := []string{filepath.Join(private, "HEAD"), filepath.Join(private, "ORIG_HEAD")}
	if data, err := wholefile.Read(refs[0], maxGitFile); err == nil {
		if name, symbolic := strings.CutPrefix(strings.TrimSpace(string(data)), "ref:"); symbolic {
			refs = append(refs, r.refPath(strings.TrimSpace(name)))
		}
	}
	for _, ref := range refs {
		if err := r.waitUnlocked(ref); err != nil {
			return err
		}
	}
	return nil
}

// waitUnlocked waits until a ref is not locked, for as long as [Repository.Move] waits.
func (r *Repository) waitUnlocked(ref string) error {
	for waits := 0; ; waits++ {
		_, err := os.Lstat(ref + ".lock")
		if noFile(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("checking the lock of a ref: %w", err)
		}
		if waits == len(lockWaits) {
			return &LockedError{Lock: ref + ".lock"}
		}
		r.pause(lockWaits[waits])
	}
}
