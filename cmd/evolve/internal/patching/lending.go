package patching

import (
	"context"
	"errors"
	"time"

	"evolve/archive"
)

// Lender lends the archive to work and has it back when work is done. While another
// process writes to it, it fails with an archive.ErrLocked and work is not begun.
type Lender func(ctx context.Context, work func(*archive.Archive) error) error

// Held lends an archive that is open all along, as that of a night is.
func Held(a *archive.Archive) Lender {
	return func(_ context.Context, work func(*archive.Archive) error) error { return work(a) }
}

// What took minutes to find out is not thrown away because another command holds the
// archive for a moment: lendPatience bounds the wait, lendPause is the time between looks.
const (
	lendPatience = 10 * time.Second
	lendPause    = 50 * time.Millisecond
)

// Patiently lends the archive for writing down what was found, and waits for a while for
// whoever holds it. It is done although ctx is over, so that nothing is lost to an
// interrupt.
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
