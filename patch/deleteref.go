package patch

import (
	"context"
	"fmt"
)

// DeleteRef removes a ref with its log, loose or packed; a missing ref is not an error. The
// objects stay until `git gc` removes them. It fails with ErrNoGit if git is not installed.
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
