package policy

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// planKey is what a plan without an invocation depends on.
type planKey struct {
	targetKey
	agent string
}

// plan holds the resolved settings of a call and the policies that enforce them.
type plan struct {
	target   *target
	layers   resolved // without the invocation
	base     Settings // likewise
	settings Settings
	values   []Value // shared: never written to
	ignored  []string
	paces    []*pace // the shared one last: its slot is for now, not for after another wait
	breakers []guarded

	strict   sync.Map // plans with an invocation, by that; at most maxStrict
	stricter atomic.Int64
}

// guarded is a breaker with the deadline of its layers: a timeout under the shorter
// deadline of an invocation shows nothing about the other side.
type guarded struct {
	*breaker
	deadline time.Duration
}

// plan returns the plan of a call.
func (e *Engine) plan(c Call) (*plan, error) {
	if err := admissible(c); err != nil {
		return nil, err
	}
	if c.Kind != Tool {
		c.Origin = ""
	}
	base, err := e.basePlan(planKey{targetKey{c.Kind, c.Name, c.Origin}, c.Agent})
	if err != nil || c.Invocation == (Settings{}) {
		return base, err
	}
	if p, ok := base.strict.Load(c.Invocation); ok {
		return p.(*plan), nil
	}
	if err := inRange(e.fields, &c.Invocation); err != nil {
		return nil, fmt.Errorf("policy: invocation: %w", err)
	}
	p, err := base.tightened(c)
	if err == nil && base.stricter.Add(1) <= maxStrict {
		base.strict.Store(c.Invocation, p)
	}
	return p, err
}

// admissible returns an error for an invalid call: an unknown kind or origin must not
// run without limits.
func admissible(c Call) error {
	switch {
	case c.Kind != Tool && c.Kind != Provider && c.Kind != Agent:
		return fmt.Errorf("policy: there is no kind of call %q", c.Kind)
	case c.Name == "":
		return fmt.Errorf("policy: the %s has no name", c.Kind)
	case c.Kind == Tool && !knownOrigin(c.Origin):
		return fmt.Errorf("policy: tool %s has the unknown origin %q", c.Name, c.Origin)
	case c.Estimate.Tokens < 0 || c.Estimate.Tokens > maxEstimate || !(c.Estimate.USD >= 0 && c.Estimate.USD <= maxUSD/1000):
		return fmt.Errorf("policy: an estimate of %d tokens and %v USD is none", c.Estimate.Tokens, c.Estimate.USD)
	}
	return nil
}

// maxEstimate keeps the sum of reservations from overflowing.
const maxEstimate = 1 << 40

// basePlan returns the plan without an invocation.
func (e *Engine) basePlan(key planKey) (*plan, error) {
	if p, ok := e.plans.Load(key); ok {
		return p.(*plan), nil
	}
	r := e.book.resolve(e.fields, key.kind, key.name, key.origin, key.agent)
	s := r.settings
	if err := coherent(&s); err != nil {
		return nil, fmt.Errorf("policy: %s %s called by %q: %w", key.kind, key.name, key.agent, err)
	}
	t, err := e.target(key.targetKey)
	if err != nil {
		return nil, err
	}
	p := &plan{target: t, layers: r, base: s, settings: s, values: r.values()}

	// The limiter and the breaker belong to the target. A role that sets another rate
	// has a limiter of its own, and uses the target's as well unless its own is looser.
	shared := e.book.resolve(e.fields, key.kind, key.name, key.origin, "").settings
	owner := ""
	if s.interval() != shared.interval() {
		owner = owned(key.agent)
	}
	if err := p.addPace(owner, s); err != nil {
		return nil, err
	}
	if s.interval() > shared.interval() {
		if err := p.addPace("", shared); err != nil {
			return nil, err
		}
	}
	if err := p.addBreaker("", s); err != nil {
		return nil, err
	}
	if e.planned.Add(1) <= maxPlans {
		e.plans.Store(key, p)
	}
	return p, nil
}

// tightened adds the invocation, with a limiter and a breaker of its own beside those
// of the layers, so that it neither bypasses nor trips them.
func (p *plan) tightened(c Call) (*plan, error) {
	r := p.layers
	r.origin = slices.Clone(r.origin)
	next := &plan{target: p.target, base: p.base}
	next.ignored = r.tighten(layer{"invocation", c.Invocation})
	next.settings, next.values = r.settings, r.values()
	if next.settings.interval() != p.base.interval() {
		if err := next.addPace(owned(c.Agent), next.settings); err != nil {
			return nil, err
		}
	}
	next.paces = append(next.paces, p.paces...)
	next.breakers = append(next.breakers, p.breakers...)
	if next.settings.breakerOnly() != p.base.breakerOnly() {
		if err := next.addBreaker(owned(c.Agent), next.settings); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// owned returns the owner of a limiter or breaker that an agent does not share; it is
// never empty, which is the target's own.
func owned(agent string) string { return "agent " + agent }

func (p *plan) addPace(owner string, s Settings) error {
	pc, err := p.target.pace(owner, s)
	if pc != nil {
		p.paces = append(p.paces, pc)
	}
	return err
}

func (p *plan) addBreaker(owner string, s Settings) error {
	b, err := p.target.breaker(owner, s)
	if b != nil {
		p.breakers = append(p.breakers, guarded{b, s.Deadline})
	}
	return err
}

// permits returns the number of running attempts at which the call has to wait.
func (p *plan) permits() int {
	if p.settings.Concurrency == 0 {
		return math.MaxInt
	}
	return p.settings.Concurrency
}

// target returns the state of a tool or provider, and makes it at the first call.
func (e *Engine) target(key targetKey) (*target, error) {
	shared := e.book.resolve(e.fields, key.kind, key.name, key.origin, "").settings
	e.mu.Lock()
	defer e.mu.Unlock()
	if t := e.targets[key]; t != nil {
		return t, nil
	}
	if len(e.targets) >= maxTargets {
		return nil, errCrowded
	}
	// Budgets belong to a name, whatever the origin.
	owner := targetKey{kind: key.kind, name: key.name}
	if e.spendings[owner] == nil {
		e.spendings[owner] = newSpending(time.Now())
	}
	t := &target{key: key, spending: e.spendings[owner], meter: newMeter(), cap: shared.Concurrency}
	if coherent(&shared) == nil {
		health, err := t.breaker("", shared)
		if err != nil {
			return nil, err
		}
		t.health = health
	}
	e.targets[key] = t
	return t, nil
}
