package patch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// unlocked refuses a working tree, given the path of its index, while a lock exists that
// a fast-forward there takes. Git takes those of the refs after it has written the files.
func (r *Repository) unlocked(index string) error {
	if _, err := os.Lstat(index + ".lock"); err == nil {
		return &LockedError{Lock: index + ".lock"}
	}
	private := filepath.Dir(index)
	refs := []string{filepath.Join(private, "HEAD"), filepath.Join(private, "ORIG_HEAD")}
	if data, err := os.ReadFile(refs[0]); err == nil {
		if name, symbolic := strings.CutPrefix(strings.TrimSpace(string(data)), "ref:"); symbolic {
			refs = append(refs, r.refPath(strings.TrimSpace(name)))
		}
	}
	for _, ref := range refs {
		if err := r.free(ref); err != nil {
			return err
		}
	}
	return nil
}

// free waits until the file of a ref is not locked, as long as [Repository.Move] does.
func (r *Repository) free(ref string) error {
	for waits := 0; ; waits++ {
		_, err := os.Lstat(ref + ".lock")
		if noFile(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("looking for the lock of a ref: %w", err)
		}
		if waits == len(lockWaits) {
			return &LockedError{Lock: ref + ".lock"}
		}
		r.pause(lockWaits[waits])
	}
}
