package batch

import (
	"context"
	"errors"

	"evolve/mutate/night"
)

// interruption returns the reason of a run that was interrupted, by the first signal.
func (r *runner) interruption() string {
	if errors.Is(context.Cause(r.o.Drain), night.ErrTerminated) {
		return "the system or another program ended it (SIGTERM)"
	}
	return "a person stopped it"
}
