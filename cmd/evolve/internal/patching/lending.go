package patching

import (
	"context"
	"errors"
	"time"

	"evolve/archive"
)

// Lender calls work with the archive. While another process writes to the archive, it
// fails with an archive.ErrLocked and does not call work.
type Lender func(ctx context.Context, work func(*archive.Archive) error) error

// Held returns a Lender for an archive that is always open, as that of a nightly run is.
func Held(a *archive.Archive) Lender {
	return func(_ context.Context, work func(*archive.Archive) error) error { return work(a) }
}

// Results that took minutes are not dropped because another command holds the archive for
// a moment: lendPatience bounds the wait, lendPause is the time between attempts.
const (
	lendPatience = 10 * time.Second
	lendPause    = 50 * time.Millisecond
)

// Patiently calls work with the archive to record results, and waits for up to
// lendPatience while another process holds it. It runs even if ctx is canceled, so that
// an interrupt loses no results.
func (l Lender) Patiently(ctx context.Context, work func(context.Context, *archive.Archive) error) error {
	ctx = context.WithoutCancel(ctx)
	for waited := time.Duration(0); ; waited += lendPause {
		err := l(ctx, func(a *archive.Archive) error { return work(ctx, a) })
		if !errors.Is(err, archive.ErrLocked) || waited >= lendPatience {
			return err
		}
		time.Sleep(lendPause)
	}
}
