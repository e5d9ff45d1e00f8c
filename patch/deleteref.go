package patch

import (
	"context"
	"fmt"
)

// DeleteRef removes a ref, loose or packed, together with its log; it does nothing if the
// ref does not exist. The objects stay until `git gc` removes them. DeleteRef fails with
// ErrNoGit if git is not installed.
func (r *Repository) DeleteRef(ctx context.Context, ref string) error {
	if err := checkRef(ref); err != nil {
		return err
	}
	now, err := r.Ref(ref)
	if err != nil || now == "" {
		return err
	}
	if _, err := r.native(ctx, r.dir, "update-ref", "--no-deref", "-d", ref, now); err != nil {
		return fmt.Errorf("removing the ref %s: %w", ref, err)
	}
	return nil
}
