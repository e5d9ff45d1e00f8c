package policy

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// errCrowded reports that a bound on memory was reached. Names come from registries and
// settings from the operator, so something is wrong then.
var errCrowded = errors.New("policy: too many different names, agents or invocation settings")

// Bounds on memory, and on abandoned functions.
const (
	maxTargets   = 1024
	maxPlans     = 8192
	maxStrict    = 32 // of plans with an invocation that are kept per base plan
	maxVariants  = 16 // of the limiters, and of the breakers, of one target for one agent
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
	gate      gate
	meter     *meter
	cap       int      // without role and invocation, for statistics
	health    *breaker // likewise; nil when there is none
	abandoned atomic.Int32

	mu       sync.Mutex
	paces    variants[paceKey, pace]
	breakers variants[breakerKey, breaker]
}

// variants are the instances of one policy with different settings.
type variants[K comparable, V any] struct {
	all   map[K]*V
	owned map[string]int // number by owner, whose invocations could ask for ever more
}

// paceKey identifies a limiter: that of the target where owner is empty, or that of one
// agent whose role or invocation sets another rate.
type paceKey struct {
	owner string
	calls int
	per   time.Duration
}

// breakerKey identifies a breaker likewise; only the breaker's settings are set.
type breakerKey struct {
	owner    string
	settings Settings
}

// breaker returns the breaker that s describes, or nil when it describes none.
func (t *target) breaker(owner string, s Settings) (*breaker, error) {
	if s.BreakerCalls == 0 {
		return nil, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.breakers.get(owner, breakerKey{owner, s.breakerOnly()}, func() *breaker { return newBreaker(s) })
}

// pace returns the limiter that s describes, or nil when it describes none.
func (t *target) pace(owner string, s Settings) (*pace, error) {
	if s.interval() == 0 {
		return nil, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.paces.get(owner, paceKey{owner, s.RateCalls, s.RatePer}, func() *pace { return newPace(s.RateCalls, s.RatePer) })
}

func (v *variants[K, V]) get(owner string, key K, build func() *V) (*V, error) {
	if one := v.all[key]; one != nil {
		return one, nil
	}
	if owner != "" && v.owned[owner] >= maxVariants {
		return nil, errCrowded
	}
	if v.all == nil {
		v.all, v.owned = map[K]*V{}, map[string]int{}
	}
	one := build()
	v.all[key] = one
	v.owned[owner]++
	return one, nil
}

func (s *Settings) breakerOnly() Settings {
	return Settings{
		BreakerCalls: s.BreakerCalls, BreakerFailures: s.BreakerFailures, BreakerSlow: s.BreakerSlow,
		BreakerSlowShare: s.BreakerSlowShare, BreakerOpen: s.BreakerOpen, BreakerProbes: s.BreakerProbes,
	}
}
