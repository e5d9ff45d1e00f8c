package policy

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// errCrowded means that a limit on memory use was reached. Names come from registries, and
// settings come from the operator, so reaching the limit indicates an error.
var errCrowded = errors.New("policy: too many different tools, providers or agents")

// Limits on memory use and on abandoned functions.
const (
	maxTargets   = 1024
	maxPlans     = 8192
	maxAbandoned = 32 // per target, unless its concurrency is lower
)

// targetKey identifies the target of a call.
type targetKey struct {
	kind         Kind
	name, origin string
}

// target is the state that all calls to one tool or provider share.
type target struct {
	key       targetKey
	spending  *spending
	queue     queue
	server    *queue // shared by all tools of the same server; nil for any other target
	serverCap int
	gate      gate
	meter     *meter
	// queued is the time during which attempts waited for permits, and paced is the time
	// during which they waited for the rate limit or a hold.
	queued, paced Waits
	cap           int      // without a role, for statistics
	health        *breaker // without a role, for statistics; nil if there is none
	abandoned     atomic.Int32

	mu       sync.Mutex
	paces    map[paceKey]*pace
	breakers map[Settings]*breaker // keyed by the breaker's settings
}

// acquire waits for a permit of the target and then for a permit of its server. The second
// limit keeps a slow server, however many tools it has, from occupying more calls than its
// own limit allows. acquire returns the time spent in both queues.
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

// paceKey identifies a limiter. If owner is empty, it is the limiter of the target;
// otherwise it is the limiter of one agent whose role sets another rate.
type paceKey struct {
	owner string
	calls int
	per   time.Duration
}

// breaker returns the target's breaker for the settings s, or nil if s describes none. It
// creates the breaker if necessary.
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

// pace returns the target's limiter for an owner and the settings s, or nil if s
// describes no limit. If there is no such limiter yet, pace creates it.
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
