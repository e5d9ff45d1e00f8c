package policy

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"
)

// errQueueWait means that a call did not get its turn in time.
var errQueueWait = errors.New("waited for too long")

// queue grants permits in rotation among agents and, for each agent, in order of arrival.
// Each waiter has its own limit, because a role may set a lower one: the number of permits
// in use at which it must wait. A waiter whose limit is reached is skipped until fewer
// permits are in use.
type queue struct {
	mu      sync.Mutex
	used    int
	waiting int
	ring    list.List // holds *line values, the next agent first
	lines   map[string]*list.Element
}

// line holds the waiters of one agent.
type line struct {
	agent   string
	waiters list.List // of *waiter
}

type waiter struct {
	cap   int
	ready chan struct{} // closed when the permit is granted
}

// acquire waits until fewer than limit permits are in use and it is the agent's turn. It
// returns how long the call was in the queue and adds that time to bound, which may be nil.
// The time is 0 for a call that gets a permit at once, no matter how long the machine took
// to run it. The error is errQueueWait if wait has elapsed (0 means that only ctx limits
// the wait) or if the context does not allow further waiting; otherwise it is ctx's error.
func (q *queue) acquire(ctx context.Context, agent string, limit int, wait time.Duration, bound *Waits) (time.Duration, error) {
	q.mu.Lock()
	if q.used < limit { // a waiting call with a lower limit could not use this permit
		q.used++
		q.mu.Unlock()
		return 0, nil
	}
	began := time.Now()
	w := &waiter{cap: limit, ready: make(chan struct{})}
	at, place := q.join(agent, w)
	q.mu.Unlock()
	bound.begin(began)
	defer func() { bound.end(time.Now()) }()

	var late <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		late = timer.C
	}
	err := errQueueWait
	select {
	case <-w.ready:
		return time.Since(began), nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-waitingEnd(ctx):
	case <-late:
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-w.ready: // both happened at once: the permit goes to the next waiter
		q.used--
		q.serve()
	default:
		q.leave(at, place)
	}
	return time.Since(began), err
}

// release returns a permit.
func (q *queue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used--
	q.serve()
}

// state returns the number of permits in use and the number of waiters.
func (q *queue) state() (used, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.used, q.waiting
}

func (q *queue) join(agent string, w *waiter) (at, place *list.Element) {
	at = q.lines[agent]
	if at == nil {
		if q.lines == nil {
			q.lines = map[string]*list.Element{}
		}
		at = q.ring.PushBack(&line{agent: agent})
		q.lines[agent] = at
	}
	q.waiting++
	return at, at.Value.(*line).waiters.PushBack(w)
}

func (q *queue) leave(at, place *list.Element) {
	l := at.Value.(*line)
	l.waiters.Remove(place)
	q.waiting--
	if l.waiters.Len() == 0 {
		q.ring.Remove(at)
		delete(q.lines, l.agent)
	}
}

// serve grants permits to the waiters that may have one. After each grant, the waiter's
// agent moves to the end of the ring.
func (q *queue) serve() {
	for at := q.ring.Front(); at != nil; {
		next := at.Next()
		place := at.Value.(*line).waiters.Front()
		w := place.Value.(*waiter)
		if q.used < w.cap {
			q.used++
			q.ring.MoveToBack(at)
			q.leave(at, place)
			close(w.ready)
			next = q.ring.Front()
		}
		at = next
	}
}
