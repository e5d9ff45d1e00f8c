package night

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestSlotsAreSharedEqually checks that a night with short evaluations gets its share of
// the slots while another night has taken all slots for long evaluations, and that no
// slot stays idle.
func TestSlotsAreSharedEqually(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(4)
		long, short := &lane{Slots: s}, &lane{Slots: s}
		ctx, end := context.WithTimeout(t.Context(), time.Hour)
		defer end()
		work := func(l *lane, workers int, each time.Duration) *int {
			made := new(int)
			for range workers {
				go func() {
					for l.take(ctx, t.Context()) == nil {
						time.Sleep(each)
						l.mu.Lock()
						*made++
						l.mu.Unlock()
						l.give()
					}
				}()
			}
			return made
		}
		slow := work(long, 4, time.Minute)
		synctest.Wait() // it has all slots
		quick := work(short, 4, time.Second)
		<-ctx.Done()
		time.Sleep(time.Minute)
		synctest.Wait()
		// After the first minute each night has two slots, for 2 × 59 evaluations that
		// take a minute and 2 × 59 × 60 that take a second.
		if *slow < 118 || *slow > 126 || *quick < 7000 || *quick > 7090 {
			t.Errorf("%d evaluations of a minute, and %d of a second", *slow, *quick)
		}
		if s.Reached() != 4 || s.free != 4 || long.held+short.held != 0 || len(s.waiting) != 0 {
			t.Errorf("%d slots were reached, %d are free, %d and %d held, and %d nights wait", s.Reached(), s.free, long.held, short.held, len(s.waiting))
		}
	})
}

// TestNoSlotOnceTheRunDrains checks that an evaluation that waits for a slot does not begin
// once the run drains or ends, and that it does not leave a slot occupied.
func TestNoSlotOnceTheRunDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(1)
		l := &lane{Slots: s}
		drain, drained := context.WithCancel(t.Context())
		ctx, cut := context.WithCancelCause(t.Context())
		gone := errors.New("gone")
		if err := l.take(ctx, drain); err != nil {
			t.Fatal(err)
		}
		waits := func(ctx, drain context.Context, end func(), want error) {
			t.Helper()
			out := make(chan error)
			go func() { out <- l.take(ctx, drain) }()
			synctest.Wait()
			end()
			if err := <-out; !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		}
		waits(t.Context(), drain, drained, ErrInterrupted)
		waits(ctx, t.Context(), func() { cut(gone) }, gone)
		l.give()
		if err := l.take(t.Context(), drain); !errors.Is(err, ErrInterrupted) {
			t.Errorf("a slot is free, and the run drains: %v", err)
		}
		if s.free != 1 || l.held != 0 || len(s.waiting) != 0 || len(l.queue) != 0 {
			t.Errorf("%d slots are free and %d held; %d nights and %d evaluations wait", s.free, l.held, len(s.waiting), len(l.queue))
		}
	})
}
