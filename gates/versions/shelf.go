package versions

import (
	"context"
	"errors"
	"slices"
	"sync"

	"evolve/gates/measure"
	"evolve/runtime/agent"
)

// mostKept is the maximum number of versions that are retained although they are not in
// use.
const mostKept = 8

// shelf makes a version when it is first used. It retains the versions that are in use, and
// the most recently used of the others.
type shelf[T any] struct {
	make func(context.Context, agent.Config) (T, error)
	drop func(T) error

	mu   sync.Mutex
	made map[agent.ConfigID]*slot[T]
	// idle lists the versions that were made but are not in use, with the most recently
	// used at the end.
	idle []agent.ConfigID
}

// slot holds a version that has been made or is being made.
type slot[T any] struct {
	get   func() (T, error)
	users int
}

func newShelf[T any](create func(context.Context, agent.Config) (T, error), drop func(T) error) *shelf[T] {
	return &shelf[T]{make: create, drop: drop, made: map[agent.ConfigID]*slot[T]{}}
}

// take returns the slot of a version and marks the version as in use. The version itself is
// made when the slot's get is first called. Each call of take must be followed by a call of
// give.
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

// give marks one use of a version as ended. If too many unused versions are then retained,
// give drops the one that has been unused for the longest time. A version that could not be
// made is forgotten, so that the next caller makes it again, unless the cause is a fault in
// its code.
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
			return // its folder will be removed together with the program's folder
		}
	}
	delete(s.made, oldest)
}

// all returns the versions that have been made, in no particular order. No version may be
// in use.
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
