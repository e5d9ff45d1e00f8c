package policy

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// errCrowded reports that a bound on memory was reached. Names come from registries and
// settings from the operator, so reaching the bound means that something is wrong.
var errCrowded = errors.New("policy: too many different names or agents")

// Bounds on memory, and on abandoned functions.
const (
	maxTargets   = 1024
	maxPlans     = 8192
	maxAbandoned = 32 // of one target without a smaller concurrency
)

// targetKey identifies the target of a call.
type targetKey struct {
	kind         Kind
	name, origin string
}

// target is the state that all calls of one tool or provider share.
type target struct {
	key       targetKey
	spending  *spending
	queue     queue
	server    *queue // of all tools of the same server; nil for any other target
	serverCap int
	gate      gate
	meter     *meter
	// queued and paced are the times in which attempts waited for permits, and for the rate or a
	// hold.
	queued, paced Waits
	cap           int      // without role, for statistics
	health        *breaker // without role, for statistics; nil when there is none
	abandoned     atomic.Int32

	mu       sync.Mutex
	paces    map[paceKey]*pace
	breakers map[Settings]*breaker // by the breaker's settings
}

// acquire waits for a permit of the target, and for one of its server, so that a slow
// server keeps at most its own cap of calls busy whatever the number of its tools. It
// returns the time in both queues.
func (t *target) acquire(ctx context.Context, agent string, limit int, wait waitLimit) (time.Duration, error) {
	own, err := t.queue.acquire(ctx, agent, limit, wait.timer, &t.queued)
	if err != nil || t.server == nil {
		return own, err
	}
	left := wait.timer
	if left > 0 {
		left = max(time.Until(wait.until), 1)
	}
	shared, err := t.server.acquire(ctx, agent, t.serverCap, left, &t.queued)
	if err != nil {
		t.queue.release()
	}
	return own + shared, err
}

// release returns the permits.
func (t *target) release() {
	if t.server != nil {
		t.server.release()
	}
	t.queue.release()
}

// paceKey identifies a limiter: that of the target where owner is empty, or that of one
// agent whose role sets another rate.
type paceKey struct {
	owner string
	calls int
	per   time.Duration
}

// breaker returns the breaker that s describes, or nil when it describes none.
func (t *target) breaker(s Settings) *breaker {
	if s.BreakerCalls == 0 {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	key := s.breakerOnly()
	if t.breakers[key] == nil {
		if t.breakers == nil {
			t.breakers = map[Settings]*breaker{}
		}
		t.breakers[key] = newBreaker(s)
	}
	return t.breakers[key]
}

// pace returns the limiter that s describes, or nil when it describes none.
func (t *target) pace(owner string, s Settings) *pace {
	if s.interval() == 0 {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	key := paceKey{owner, s.RateCalls, s.RatePer}
	if t.paces[key] == nil {
		if t.paces == nil {
			t.paces = map[paceKey]*pace{}
		}
		t.paces[key] = newPace(s.RateCalls, s.RatePer)
	}
	return t.paces[key]
}

func (s *Settings) breakerOnly() Settings {
	return Settings{
		BreakerCalls: s.BreakerCalls, BreakerFailures: s.BreakerFailures, BreakerSlow: s.BreakerSlow,
		BreakerSlowShare: s.BreakerSlowShare, BreakerOpen: s.BreakerOpen, BreakerProbes: s.BreakerProbes,
	}
}
