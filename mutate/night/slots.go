package night

import (
	"context"
	"slices"
	"sync"
)

// Slots limits the concurrent evaluations of nights that run side by side. A free slot
// goes to the waiting night that has the fewest slots. Each night therefore gets an equal
// part of the slots when it needs them. A night with short evaluations does not have to
// wait for another night's evaluations, which may take minutes.
type Slots struct {
	mu sync.Mutex
	// all is the number of slots, free is the number of free slots, and reached is the
	// maximum number of slots that were taken at the same time.
	all, free, reached int
	// waiting holds the nights that wait for a slot; the first has waited longest.
	waiting []*lane
}

// lane is the state of one night that uses the slots.
type lane struct {
	*Slots
	held int
	// queue holds a channel for each of the night's waiting evaluations; the channel is
	// closed when the evaluation gets a slot.
	queue []chan struct{}
}

// NewSlots returns a Slots with n slots, but at least one.
func NewSlots(n int) *Slots {
	n = max(1, n)
	return &Slots{all: n, free: n}
}

// Reached returns the maximum number of slots that were taken at the same time.
func (s *Slots) Reached() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reached
}

// take waits for a slot. It returns the cause of ctx if ctx ends, and ErrInterrupted once
// drain is done, so that no evaluation begins after that.
func (l *lane) take(ctx, drain context.Context) error {
	l.mu.Lock()
	slot := make(chan struct{})
	if l.queue = append(l.queue, slot); len(l.queue) == 1 {
		l.waiting = append(l.waiting, l)
	}
	l.grant()
	l.mu.Unlock()
	select {
	case <-slot:
	case <-drain.Done():
	case <-ctx.Done():
	}
	var err error
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case drain.Err() != nil:
		err = ErrInterrupted
	default:
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.queue, slot); i >= 0 {
		if l.queue = slices.Delete(l.queue, i, i+1); len(l.queue) == 0 {
			l.waiting = slices.DeleteFunc(l.waiting, func(w *lane) bool { return w == l })
		}
		return err
	}
	l.release()
	return err
}

// give releases a slot.
func (l *lane) give() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.release()
}

func (l *lane) release() {
	l.held--
	l.free++
	l.grant()
}

// grant gives the free slots to the evaluations that wait.
func (s *Slots) grant() {
	for s.free > 0 && len(s.waiting) > 0 {
		at := 0
		for i, l := range s.waiting {
			if l.held < s.waiting[at].held {
				at = i
			}
		}
		l := s.waiting[at]
		s.waiting = slices.Delete(s.waiting, at, at+1)
		close(l.queue[0])
		if l.queue = l.queue[1:]; len(l.queue) > 0 {
			s.waiting = append(s.waiting, l)
		}
		l.held++
		s.free--
		s.reached = max(s.reached, s.all-s.free)
	}
}
