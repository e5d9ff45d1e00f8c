package versions

import (
	"context"
	"errors"
	"slices"
	"sync"

	"evolve/gates/measure"
	"evolve/runtime/agent"
)

// mostKept is the number of versions that are kept although they are not in use.
const mostKept = 8

// shelf makes versions when they are first used, and keeps those in use and the ones that
// were used last.
type shelf[T any] struct {
	make func(context.Context, agent.Config) (T, error)
	drop func(T) error

	mu   sync.Mutex
	made map[agent.ConfigID]*slot[T]
	// idle are the made versions that are not in use, the one that was used last at the
	// end.
	idle []agent.ConfigID
}

// slot holds a version that was or is being made.
type slot[T any] struct {
	get   func() (T, error)
	users int
}

func newShelf[T any](create func(context.Context, agent.Config) (T, error), drop func(T) error) *shelf[T] {
	return &shelf[T]{make: create, drop: drop, made: map[agent.ConfigID]*slot[T]{}}
}

// take returns the slot of a version, which is made when its value is first asked for, and
// marks it as used. The version must be given back.
func (s *shelf[T]) take(ctx context.Context, id agent.ConfigID, c agent.Config) *slot[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, known := s.made[id]
	if !known {
		v = &slot[T]{get: sync.OnceValues(func() (T, error) { return s.make(ctx, c) })}
		s.made[id] = v
	}
	if v.users == 0 {
		s.idle = slices.DeleteFunc(s.idle, func(other agent.ConfigID) bool { return other == id })
	}
	v.users++
	return v
}

// give marks a version as no longer used, and drops the one that was unused for longest if
// too many are kept. A version that could not be made because its caller was stopped is
// forgotten, so that the next caller makes it.
func (s *shelf[T]) give(id agent.ConfigID, v *slot[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v.users--; v.users > 0 {
		return
	}
	_, err := v.get()
	var code *measure.CodeError
	if err != nil && !errors.As(err, &code) {
		delete(s.made, id)
		return
	}
	s.idle = append(s.idle, id)
	if len(s.idle) <= mostKept {
		return
	}
	oldest := s.idle[0]
	s.idle = s.idle[1:]
	if old, err := s.made[oldest].get(); err == nil {
		if err := s.drop(old); err != nil {
			return // the folder is removed with that of the program
		}
	}
	delete(s.made, oldest)
}

// all returns the versions that are made, in no order. No version may be in use.
func (s *shelf[T]) all() []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []T
	for _, id := range s.idle {
		if v, err := s.made[id].get(); err == nil {
			out = append(out, v)
		}
	}
	return out
}
