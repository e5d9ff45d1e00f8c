package archive

import "context"

// Writer returns the owner that holds the archive for writing (see [Options]), and reports
// whether such a process is running. A killed process holds nothing, whatever files it
// left. An archive in memory has no owner.
func (a *Archive) Writer(ctx context.Context) (owner string, alive bool, err error) {
	if a.dir == "" {
		return "", false, nil
	}
	if r, ok := a.store.(*reader); ok {
		// A request shows whether the other end still answers.
		if _, err := r.get(ctx, []byte{tableRun}); err != nil {
			return "", false, err
		}
		store, err := r.current(nil)
		if err != nil {
			return "", false, err
		}
		if _, ok := store.(*remote); !ok {
			return "", false, nil
		}
	}
	return newLock(a.dir).read().Owner, true, nil
}
