package policy

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"time"
)

// execute makes attempts until one succeeds or no further attempt may follow.
func (x *execution) execute() error {
	s := &x.plan.settings
	if err := x.parent.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithDeadline(x.parent, x.began.Add(x.deadline()))
	defer cancel()
	attempts := s.Attempts
	if !x.call.Repeatable {
		attempts = 1
	}
	deadline, _ := ctx.Deadline()
	for {
		x.value, x.err = x.attempt(ctx)
		if x.err == nil || x.attempts >= attempts {
			return x.err
		}
		pause, again := x.again(deadline)
		if !again {
			return x.err
		}
		if _, err := sleep(ctx, pause, nil); err != nil {
			x.own = false
			if errors.Is(err, errQueueWait) {
				x.err = x.refused(&RateLimitedError{})
			} else {
				x.err = x.refused(x.ended(ctx))
			}
			return x.err
		}
	}
}

// again reports whether another attempt follows, and returns the pause before it. No
// attempt follows if the pause would exceed the deadline.
func (x *execution) again(deadline time.Time) (pause time.Duration, again bool) {
	var f *Failure
	if !x.own || x.parent.Err() != nil || !errors.As(x.err, &f) || !f.Retry {
		return 0, false
	}
	x.last = x.err
	pause = max(x.plan.settings.backoff(x.call, x.attempts), f.RetryAfter)
	left := time.Until(deadline)
	if f.RetryAfter >= left {
		x.own, x.err = false, x.refused(&RateLimitedError{RetryAfter: f.RetryAfter})
	}
	return pause, pause < left
}

// backoff returns the pause after an attempt; attempts are counted from 1. The pause
// doubles with each attempt up to a maximum, and the actual pause is between half of it and
// all of it, as determined by the seed, the id and the attempt.
func (s *Settings) backoff(c Call, attempt int) time.Duration {
	d, longest := s.Backoff, max(s.MaxBackoff, s.Backoff)
	for range attempt - 1 {
		if d > longest/2 {
			d = longest
			break
		}
		d *= 2
	}
	half := d / 2
	return half + time.Duration(jitter(c.Seed, c.ID, attempt)*float64(d-half))
}

// jitter returns a number in [0, 1) that depends only on the arguments.
func jitter(seed int64, id string, attempt int) float64 {
	h := sha256.New()
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], uint64(seed))
	binary.LittleEndian.PutUint64(b[8:], uint64(attempt))
	h.Write(b[:])
	_, _ = io.WriteString(h, id)
	return float64(binary.LittleEndian.Uint64(h.Sum(nil))>>11) / (1 << 53)
}
